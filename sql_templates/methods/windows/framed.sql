{# The windows that are released, by what they span of each attribute.
   grain: one row per window
   in: windows(grp, part, first_run, last_run, n), runs, attributes
   out: table framed(grp, n, part, for each attribute p<i>: place of its first value, from<i> and
       upto<i>: changes before its first and last member) #}
CREATE TABLE framed AS
SELECT
    w.grp, w.n, w.part
    {{ attributes | each(', f.p#, f.a# AS from#, l.a# AS upto#') }}
FROM windows AS w
JOIN runs AS f ON f.part = w.part AND f.run = w.first_run
JOIN runs AS l ON l.part = w.part AND l.run = w.last_run
