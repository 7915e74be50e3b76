"""What released labels stand for: one reader for those who prove releases and those who query
them."""
