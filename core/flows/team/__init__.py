"""A team's lessons in git: from the casebook into the file of a repository, and back."""
