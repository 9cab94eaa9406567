"""The commands of a team: share lessons through a file in the repository."""
