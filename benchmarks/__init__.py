"""Measurements of Jupyter Cabinet against a peer in the same run. Not part of the package, not a test.

`python -m benchmarks` runs them; `README.md` has the figures and how to repeat them.
"""
