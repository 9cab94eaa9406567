"""How a repository deals with a checker's rules and with what its environment lacks, and what to say before a run."""
