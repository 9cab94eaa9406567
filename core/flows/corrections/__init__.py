"""Corrections: what a person said when they declined a call, as draft rules."""
