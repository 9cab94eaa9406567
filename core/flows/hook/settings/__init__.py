"""The hooks of casebook in an agent's settings file."""
