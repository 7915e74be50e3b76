{# out: the lattice of the search before is gone #}
DELETE FROM nodes
