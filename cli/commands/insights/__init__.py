"""Commands that say what failed, what it cost, and what casebook's answers were worth."""
