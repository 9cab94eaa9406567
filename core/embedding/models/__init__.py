"""Embedding models: catalogue, folders, download, conversion, calibration."""
