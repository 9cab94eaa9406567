"""Agents' hooks: one payload in, what is known of its error out, and what happened written down."""
