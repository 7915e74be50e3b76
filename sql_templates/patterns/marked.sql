{# The source's rows, each with what is withheld of it: the cells that are sensitive to it. Where a flag is NULL nobody knows,
   and the cell is withheld. Everything else is made from this one scan.
   grain: one row per source row
   in: source, attributes, conditions {index: for whom the attribute is sensitive}, kept (columns that are released as they are),
       bucketized (columns whose sensitive values are released in buckets)
   out: table marked(q1 … qn: NULL where withheld, w<index> and u<index> of the semi-sensitive ones: 1 where withheld, and where nobody knows,
        k1 …: the kept columns, s<index> of the bucketized ones) #}
CREATE TABLE marked AS
{% include 'patterns/marks.sql' %}
