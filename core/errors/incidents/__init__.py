"""Incidents: what their cases are in the queue by, and slips that came back."""
