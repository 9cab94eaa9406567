"""The JSON Schemas of everything casebook writes as JSON, generated from the types and shipped in the wheel."""
