{# out: an empty schema lattice #}
CREATE SCHEMA lattice
