{# Whether the data has a leaf: those that it lacks have no value; NULL has none, and the code 0.
   in: a (attribute), d (its dimension table)
   out: a condition #}
{% if a.nulls %}d.code = 0 OR {% endif %}d.value IS NOT NULL
