"""Groups of neighbours along a Hilbert curve (Ghinita, Karras, Kalnis, Mamoulis, VLDB 2007)."""
