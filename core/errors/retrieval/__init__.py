"""Retrieval of known errors: the tiers, what each answers, similar cases, matched spans."""
