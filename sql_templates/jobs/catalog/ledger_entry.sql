{# in: levels, columns (JSON), entry (number, release, run, k, promises, and its numbers of rows)
   out: its line, not settled #}
INSERT INTO ledger_releases
VALUES (
    {{ entry.number | integer }}, {{ entry.release_id | literal }}, {{ entry.run | integer }},
    NOW(), FALSE, {{ entry.k | integer }}, {{ entry.promises | literal }}, {{ levels | literal }},
    {{ columns | literal }},
    {{ entry.released | integer }}, {{ entry.held_back | integer }}, {{ entry.gone | integer }},
    {{ entry.exposed | integer }}, {{ entry.smallest | integer }}
)
