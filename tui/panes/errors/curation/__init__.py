"""Deciding about cases in the workbench: the queue, the acts, the text that is being written."""
