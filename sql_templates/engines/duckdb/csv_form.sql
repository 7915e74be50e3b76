{# out: how the CSV files of releases are written #}
    FORMAT CSV, HEADER TRUE, DELIMITER ',', QUOTE '"', ESCAPE '"', NULLSTR ''
