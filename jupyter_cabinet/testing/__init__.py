"""Test doubles and conformance suites; third parties can use them too."""
