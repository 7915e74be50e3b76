"""The policy: the promise and its settings, in one YAML file; a module a concern."""
