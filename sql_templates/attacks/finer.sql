{# Of each label of a column the values that it most likely stands for: values are as frequent as
   all labels that may stand for them say, each evenly.
   grain: one row per label and value
   in: attacked_release, covers_<facet>, facet
   out: table attacked_finer(label, code, size: how many values the label may stand for, part: how
       likely this one is taken of those that are as likely) #}
CREATE TABLE attacked_finer AS
WITH {% include 'attacks/frequencies.sql' %}
SELECT p.label, p.code, p.size, CAST(1 AS DOUBLE) / COUNT(*) OVER (PARTITION BY p.label) AS part
FROM (
    SELECT m.label, m.code, m.size, f.n, MAX(f.n) OVER (PARTITION BY m.label) AS most
    FROM meant AS m
    JOIN frequent AS f ON f.code = m.code
) AS p
WHERE p.n >= p.most * (1 - 1e-9)
