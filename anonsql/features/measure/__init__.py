"""``measure``: how useful a published release is."""
