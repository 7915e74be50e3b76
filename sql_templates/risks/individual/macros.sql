{# How likely rows of a sample are to be re-identified.
   out: macros #}

{# The risk that a row of a class is re-identified by somebody who finds its values in the
   population (Benedetti, Franconi 1998): the mean of 1 / F, where F, the members of the population
   in its class, is negative binomial given the f rows of the sample and p = f / (sum of weights).
   With q = 1 - p that is the integral of v ** (f - 1) * p / (p + q v) over v from 0 to 1. For
   f < 13 and p <= 1/2 integration by parts leads from f to f + 1:

       risk(f + 1) = p / q * (1 / f - risk(f)),   risk(1) = p / q * ln(1 / p).

   Otherwise its series in q, p / f * sum over m of q ** m / C(f + m, m), has converged after 30
   terms to ten digits.
   Both are written from the inside out, so that parentheses open all at once: SQLite's parser has
   room for a hundred things that are begun. No division has a long dividend, for a cast is put
   around it where an engine divides whole numbers.
   in: a table r with the columns f and p
   out: an expression #}
{% macro individual() %}
CASE
    WHEN r.p >= 1 THEN 1.0e0 / r.f
    WHEN r.p > 0.5e0 OR r.f > 12
    THEN {% for m in range(1, 31) %}({% endfor %}1.0e0
        {% for m in range(30, 0, -1) %}
        * (1.0e0 - r.p) * ({{ m | integer }}.0e0 / (r.f + {{ m | integer }})) + 1.0e0)
        {% endfor %}
        * (r.p / r.f)
    ELSE {% for j in range(1, 12) %}({% endfor %}r.p / (1.0e0 - r.p) * -LN(r.p)
        {% for j in range(1, 12) %}
        * CASE WHEN r.f > {{ j | integer }} THEN r.p / (r.p - 1.0e0) ELSE 1.0e0 END
        + CASE WHEN r.f > {{ j | integer }}
            THEN r.p / (1.0e0 - r.p) / {{ j | integer }} ELSE 0.0e0 END)
        {% endfor %}
END
{% endmacro %}
