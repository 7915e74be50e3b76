{# Who could be the owner of what is released, of some windows: every run of rows that a window
   stands for.
   grain: one row per window and run of rows in it
   in: windows, members, items, lengths, labelled, attributes, named (those of labelled), first and
       last (the windows' numbers)
   out: table matches(grp, item, c1 … cn, l<i>: see verification/labelled) #}
CREATE TABLE matches AS
SELECT w.grp, m.item{{ attributes | each(', i.c#') }}{{ named | each(', k.l#') }}
FROM windows AS w
LEFT JOIN labelled AS k ON k.grp = w.grp
JOIN lengths AS s ON s.length = w.last_run - w.first_run
JOIN members AS m ON m.part = w.part AND m.run = w.first_run + s.step
JOIN items AS i ON i.item = m.item
WHERE w.grp BETWEEN {{ first | integer }} AND {{ last | integer }}
