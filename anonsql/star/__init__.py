"""The star schema: dimensions, cells (distinct combinations of values), and what is promised of
classes of them."""
