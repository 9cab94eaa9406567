"""Insights: failures, their cost, recurrences, and fixes that were shown and helped."""
