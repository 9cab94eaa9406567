"""Services that all panes share: database watch, editor, embedding, import, export, vector search."""
