"""Hybrid: generalization helped by relocation (Nergiz, Gök, Özkanlı 2013)."""
