"""Insights: what failed, what it cost, what came back, what was told and helped."""
