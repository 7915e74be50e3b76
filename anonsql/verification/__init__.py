"""Independent verification: by the release alone, against the source, and the command that judges
what is published."""
