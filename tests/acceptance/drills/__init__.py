"""Drills: real processes are killed, fed garbage and overtaken while they work, and nothing may be lost.

A short form of each runs with the tests; RAPPORT_DRILLS=long runs them at full length.
"""
