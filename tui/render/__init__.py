"""Pure functions from the core's values to `Content`. Every foreign string passes through `foreign`."""
