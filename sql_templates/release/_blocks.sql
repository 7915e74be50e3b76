-- name: labels
{# The labels of the hierarchies that are released.
   grain: one row per column, level and leaf
   in: published_labels (no data: what the policy says), titles (of its columns)
   out: those columns #}
SELECT
    {{ titles | idents('h') }}
FROM published_labels AS h

-- name: staged_view
{# in: view, select (a template), tables (relations by part), and what the template takes besides
   out: the view #}
CREATE VIEW {{ view | ident }} AS
{% include select ~ '.sql' %}
