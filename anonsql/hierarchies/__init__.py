"""Hierarchies: from what the policy says of them to dimension tables that were checked."""
