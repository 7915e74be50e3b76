"""SQL as text: templates, and the dialects that statements reach engines in."""
