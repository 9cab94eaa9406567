"""Identifying and searching errors."""
