"""A team's log on a PostgreSQL server: the connection, its tables and roles, and the events."""
