"""One run: its stages, the catalog that records it, its private folder, and the fingerprint of its
inputs."""
