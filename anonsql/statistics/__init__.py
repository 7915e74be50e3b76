"""Tables of counts and sums: their cells, what must be hidden of them, and the four ways to
protect it (suppression, cell keys, rounding, noise)."""
