"""The hooks of each agent: where they are registered, what they send, and the reply they take."""
