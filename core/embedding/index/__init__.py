"""Stored vectors and their indexes: nearest neighbours, backlog, consistency, maintenance."""
