"""The Errors pane: have we met this error, and what fixed it?"""
