"""The version, where reading it costs nothing (the package metadata takes longer than starting Python)."""

VERSION = "0.1.0"
DISTRIBUTION = "agent-casebook"
"""The name on the package index; the command is `casebook`."""
