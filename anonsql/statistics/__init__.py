"""Tables of counts and sums: their cells, what may not be told of them, and the four ways to keep
it from being told (suppression, cell keys, rounding, noise)."""
