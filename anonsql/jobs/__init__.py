"""One run: its stages, the catalog that remembers it, its private folder, what it was made from."""
