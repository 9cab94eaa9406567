"""Language models: asked over HTTP, streamed token by token, cancelled at once."""
