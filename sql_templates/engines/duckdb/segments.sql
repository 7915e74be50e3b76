{# Where the columns of a table lie in its file. A column stores a value for each row that was ever
   written and not yet removed from the file.
   grain: one row
   in: relation
   out: numbers of the blocks, how many columns store another number of values than the table has
        rows, how many segments have values that were changed since #}
WITH segments AS (
    SELECT s.column_path, s.count, s.has_updates, s.block_id, s.additional_block_ids
    FROM PRAGMA_STORAGE_INFO({{ relation | ident | literal }}) AS s
),
blocks AS (
    SELECT s.block_id AS block
    FROM segments AS s
    UNION
    SELECT UNNEST(s.additional_block_ids) AS block
    FROM segments AS s
),
columns AS (
    SELECT s.column_path, SUM(s.count) AS stored
    FROM segments AS s
    WHERE s.column_path NOT LIKE '%,%'
    GROUP BY s.column_path
)
SELECT
    (SELECT LIST(b.block) FROM blocks AS b WHERE b.block >= 0),
    (
        SELECT COUNT(*)
        FROM columns AS c
        WHERE c.stored <> (SELECT COUNT(*) FROM {{ relation | ident }} AS r)
    ),
    (SELECT COUNT(*) FROM segments AS s WHERE s.has_updates)
