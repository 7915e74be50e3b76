{# The released rows of a full-domain generalization, in an order that only a secret salt knows: of
   the one table, or of one of several. DuckDB takes engines/duckdb/narrow_rows in its place.
   grain: one row per released row
   in: source, attributes, released (the columns of the release in order: kind 'label', 'lo', 'hi'
       or 'kept', which may be replaced), dim_<index>, levels {index: level}, kept_classes (c1 …, n,
       ok) when rows are suppressed, masked (whether those stay as *), links (position in released:
       the column, and the table of the surrogates of its values: keys and references of several
       tables), salted (by fresh_salt, else the engine's own random order), ordering
   out: the released columns and the ordering #}
{% from 'release/macros.sql' import generalized, unlabelled %}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' or r.position in links %}
    {{ unlabelled(r, links, masked) }}
    {% else %}
    {{ generalized(r, levels[r.attribute.index], ['x', 'n'] if masked else none) }}
    {% endif %}
        AS {{ r.name | ident }},
{% endfor %}
    {% if salted %}
    MD5((SELECT z.salt FROM fresh_salt AS z) || CAST(ROW_NUMBER() OVER () AS VARCHAR)) COLLATE "C"
    {% else %}
    RANDOM()
    {% endif %}
    AS {{ ordering | ident }}
{% include 'release/generalized.sql' %}
