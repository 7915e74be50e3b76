{# The codes of a column's values, kept when the dimension table goes.
   grain: one row per value of the data but NULL
   in: a (attribute), dim_<index>, number (of the column)
   out: table together_values_<number>(code, value) #}
CREATE TABLE together_values_{{ number | integer }} AS
SELECT d.code, d.value
FROM dim_# AS d
WHERE d.value IS NOT NULL
