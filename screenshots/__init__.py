"""The pictures of the README, made from the sample casebook by `python -m screenshots`."""
