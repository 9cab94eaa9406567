"""Salvage of a damaged casebook: page reader, table shapes, repaired references."""
