{# out: the schema lattice of an earlier search is gone #}
DROP SCHEMA IF EXISTS lattice CASCADE
