"""Anonymization methods: one file each, one public function."""
