"""Drawing that all panes share: untrusted text, glyphs, times, bars, progress, the trace."""
