"""What agents may ask a casebook: a closed list of tools, each with the shape of its arguments and its answer."""
