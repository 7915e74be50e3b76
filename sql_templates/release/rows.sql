{# The released rows of a full-domain generalization: of the one table, or of one of several.
   grain: one row per released row
   in: source, attributes, released (the columns of the release in order: kind 'label', 'lo', 'hi'
       or 'kept', which may be replaced), dim_<index>, levels {index: level}, kept_classes (c1 …, n,
       ok) when rows are suppressed, masked (whether those stay as *), links (position in released:
       the column, and the table of the surrogates of its values: keys and references of several
       tables), fresh_salt where there are surrogates
   out: the released columns #}
{% from 'release/macros.sql' import generalized, unlabelled %}
SELECT
{% for r in released %}
    {% if r.kind == 'kept' or r.position in links %}
    {{ unlabelled(r, links, masked) }}
    {% else %}
    {{ generalized(r, levels[r.attribute.index], ['x', 'n'] if masked else none) }}
    {% endif %}
        AS {{ r.name | ident }}{% if not loop.last %},{% endif +%}
{% endfor %}
{% include 'release/generalized.sql' %}
