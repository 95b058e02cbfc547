"""Measurements, never run by the tests: `make bench`, or `python -m benchmarks --help`.

Everything runs on a temporary embedded database, with the processes that `manage.py serve` starts. Figures of a shared
machine vary, so what is compared alternates within one run, and the ratios count.
"""
