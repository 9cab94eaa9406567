"""Settings: their schema, where each value comes from, and the settings file."""
