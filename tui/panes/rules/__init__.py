"""The Rules pane: tool calls, the rules each of them meets, and why; it follows the rule files as they change."""
