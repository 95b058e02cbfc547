"""Measurements, never run by the tests. Importing it sets Django up, for `python -m benchmarks.<name>`."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()
