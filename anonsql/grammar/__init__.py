"""The texts that people and programs read back: released labels and literals."""
