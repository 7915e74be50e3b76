{# The values of one attribute in each span that has more than one: two expressions to begin a
   statement with.
   grain of elements: one row per span and value; some values are there again when `repeated`
   in: framed, runs, lengths, places, a (attribute), repeated
   out: spans(part, first, last), elements(part, first, last, place) #}
WITH spans AS (
    SELECT DISTINCT f.part, f.from# AS first, f.upto# AS last
    FROM framed AS f
    WHERE f.upto# > f.from#
),
elements AS (
    SELECT {% if not repeated %}DISTINCT {% endif %}s.part, s.first, s.last, r.place
    FROM spans AS s
    JOIN lengths AS x ON x.length = s.last - s.first
    JOIN (
        SELECT DISTINCT u.part, u.a# AS change, u.p# AS place
        FROM runs AS u
    ) AS r ON r.part = s.part AND r.change = s.first + x.step
)
