"""The API described: OpenAPI 3.1, made from the views, the packs and the problems."""
