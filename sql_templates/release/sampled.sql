{# The rows of the source that a random sample has: each is kept with the same probability, by the
   first ten hexadecimal digits of a hash that only a secret salt knows.
   grain: one row per row that is kept
   in: source, names (of its columns), limit (draws below it are kept, of 2^40), numbered (the
       engine's template of a hexadecimal number), fence (that of its fence, or none), fresh_salt
   out: the columns #}
SELECT {{ names | idents('h') }}
FROM (
    {% include 'release/hashed.sql' %}
) AS h
WHERE {% with digits = ['h', 'hash of row'], start = 1 %}{% include numbered ~ '.sql' %}{% endwith %}
    < {{ limit | integer }}
