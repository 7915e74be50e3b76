{# All steps of spans of every length up to the longest, the first being 0.
   grain: one row per length and step
   in: digits(digit: from 0 to the longest)
   out: table lengths(length, step) #}
CREATE TABLE lengths AS
SELECT d.digit AS length, e.digit AS step
FROM digits AS d
JOIN digits AS e ON e.digit <= d.digit
