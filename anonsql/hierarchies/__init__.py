"""From the hierarchies of a policy to dimension tables that have been checked."""
