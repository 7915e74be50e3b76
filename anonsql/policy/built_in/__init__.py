"""Hierarchies that ship with anonsql, with the facts that they are made of."""
