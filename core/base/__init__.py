"""What every floor needs: faults, the trace, JSON, settings, paths, the log, atomic writes."""
