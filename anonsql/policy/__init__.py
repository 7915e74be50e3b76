"""The policy: what was promised, by one YAML file; a module a concern."""
