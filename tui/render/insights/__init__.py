"""How Insights are drawn."""
