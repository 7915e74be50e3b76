{# in: next_parts
   out: table parts, as it is after a step #}
CREATE TABLE parts AS
SELECT p.trace, p.part, p.n, p.out, p.drawn FROM next_parts AS p
