"""Asking the library: question, prompt, context, the stored answer."""
