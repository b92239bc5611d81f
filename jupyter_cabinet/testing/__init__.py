"""Doubles and conformance suites; third parties can use them too."""
