{# The regions of a made-up hospital's patients, and their countries: a reference table.
   in: table
   out: table regions(region, country) #}
CREATE TABLE {{ table | ident }} AS
SELECT r.region, r.country
FROM (
    VALUES ('Zealand', 'Denmark'), ('Jutland', 'Denmark'), ('Funen', 'Denmark'),
        ('Scania', 'Sweden'), ('Halland', 'Sweden'), ('Gotland', 'Sweden')
) AS r (region, country)
