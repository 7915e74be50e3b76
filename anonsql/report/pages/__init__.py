"""Pages of HTML: self-contained files that fetch nothing."""
