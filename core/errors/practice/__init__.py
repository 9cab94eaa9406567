"""Practice: what was done about a rule or a lack, over all harvested fixes of a repository (`practice.v1`)."""
