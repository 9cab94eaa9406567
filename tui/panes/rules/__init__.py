"""The Rules pane: tool calls, the rules that apply to each, and why. It reloads changed rule files."""
