"""The workbench on a pseudo-terminal."""
