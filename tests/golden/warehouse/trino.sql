-- Written by `anonsql compile --dbt`. Change the policy and compile it anew.
{{ config(materialized='anonsql_release', meta={'anonsql': {'dialect': 'trino', 'reads': "t", 'makes': "r", 'k': 3, 'columns': ["age", "age_lo", "age_hi", "ward"], 'attributes': { '1': "age", '2': "ward" } }}) }}
WITH "combinations" AS (
  SELECT
    "s"."age" AS "q1",
    "s"."ward" AS "q2",
    CAST(COUNT(*) AS BIGINT) AS "n"
  FROM {{ source("raw", "t") }} AS "s"
  GROUP BY
    "s"."age",
    "s"."ward"
), "dim_1" AS (
  WITH "dim_1_numbered" AS (
    SELECT
      CAST(ROW_NUMBER() OVER (ORDER BY "l"."value", "l"."value") AS INTEGER) AS "code",
      "l"."value",
      "l"."v0",
      "l"."lo0",
      "l"."hi0",
      "l"."v1",
      "l"."lo1",
      "l"."hi1",
      "l"."v2",
      "l"."lo2",
      "l"."hi2"
    FROM (
      WITH "dim_1_found" AS (
        SELECT DISTINCT
          "t"."q1" AS "value"
        FROM "combinations" AS "t"
        WHERE
          NOT "t"."q1" IS NULL
      ), "dim_1_exact" AS (
        SELECT
          "f"."value",
          CASE
            WHEN "f"."value" BETWEEN -CAST('1000000000000000000000000000000000' AS DECIMAL(38, 0)) AND CAST('1000000000000000000000000000000000' AS DECIMAL(38, 0))
            THEN CAST("f"."value" AS DECIMAL(34, 0))
          END AS "x"
        FROM "dim_1_found" AS "f"
      ), "dim_1_floored" AS (
        SELECT
          "t"."value",
          "t"."x"
        FROM "dim_1_exact" AS "t"
      ), "dim_1_lower_ends" AS (
        SELECT
          "e"."value",
          "e"."x",
          "e"."x" - (
            (
              (
                "e"."x" - 0
              ) % 10
            ) + 10
          ) % 10 AS "x1"
        FROM "dim_1_floored" AS "e"
      )
      SELECT
        "b"."value",
        CASE WHEN NOT "b"."x" IS NULL THEN CAST("b"."value" AS VARCHAR) END AS "v0",
        CONCAT(
          CAST('[' AS VARCHAR),
          CAST(CAST("b"."x1" AS DECIMAL(34, 0)) AS VARCHAR),
          CAST(',' AS VARCHAR),
          CAST(CAST("b"."x1" + 10 AS DECIMAL(34, 0)) AS VARCHAR),
          CAST(')' AS VARCHAR)
        ) AS "v1",
        CASE WHEN NOT "b"."x" IS NULL THEN '*' END AS "v2",
        CASE WHEN NOT "b"."x" IS NULL THEN CAST("b"."value" AS BIGINT) END AS "lo0",
        CASE WHEN NOT "b"."x" IS NULL THEN CAST("b"."value" AS BIGINT) END AS "hi0",
        CAST(GREATEST("b"."x1", -CAST('9223372036854775808' AS DECIMAL(38, 0))) AS BIGINT) AS "lo1",
        CAST(LEAST("b"."x1" + 10 - 1, 9223372036854775807) AS BIGINT) AS "hi1",
        CAST(NULL AS BIGINT) AS "lo2",
        CAST(NULL AS BIGINT) AS "hi2"
      FROM "dim_1_lower_ends" AS "b"
    ) AS "l"
    UNION ALL
    SELECT
      0,
      NULL,
      NULL,
      NULL,
      NULL,
      NULL,
      NULL,
      NULL,
      '*',
      NULL,
      NULL
  ), "dim_1_groups0" AS (
    SELECT
      "n"."v0" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_1_numbered" AS "n"
    WHERE
      NOT "n"."v0" IS NULL
    GROUP BY
      "n"."v0"
  ), "dim_1_groups1" AS (
    SELECT
      "n"."v1" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_1_numbered" AS "n"
    WHERE
      NOT "n"."v1" IS NULL
    GROUP BY
      "n"."v1"
  ), "dim_1_groups2" AS (
    SELECT
      "n"."v2" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_1_numbered" AS "n"
    WHERE
      NOT "n"."v2" IS NULL
    GROUP BY
      "n"."v2"
  ), "dim_1_unlabelled" AS (
    SELECT
      MIN(CASE WHEN "n"."v0" IS NULL THEN "n"."code" END) AS "code0",
      COUNT(CASE WHEN "n"."v0" IS NULL THEN 1 END) AS "leaves0",
      MIN(CASE WHEN "n"."v1" IS NULL THEN "n"."code" END) AS "code1",
      COUNT(CASE WHEN "n"."v1" IS NULL THEN 1 END) AS "leaves1",
      MIN(CASE WHEN "n"."v2" IS NULL THEN "n"."code" END) AS "code2",
      COUNT(CASE WHEN "n"."v2" IS NULL THEN 1 END) AS "leaves2"
    FROM "dim_1_numbered" AS "n"
  ), "dim_1_grouped" AS (
    SELECT
      "d".*,
      CASE WHEN "d"."v0" IS NULL THEN "u"."code0" ELSE "g0"."code" END AS "g0",
      CASE WHEN "d"."v0" IS NULL THEN "u"."leaves0" ELSE "g0"."leaves" END AS "leaves0",
      CASE WHEN "d"."v1" IS NULL THEN "u"."code1" ELSE "g1"."code" END AS "g1",
      CASE WHEN "d"."v1" IS NULL THEN "u"."leaves1" ELSE "g1"."leaves" END AS "leaves1",
      CASE WHEN "d"."v2" IS NULL THEN "u"."code2" ELSE "g2"."code" END AS "g2",
      CASE WHEN "d"."v2" IS NULL THEN "u"."leaves2" ELSE "g2"."leaves" END AS "leaves2"
    FROM "dim_1_numbered" AS "d"
    CROSS JOIN "dim_1_unlabelled" AS "u"
    LEFT JOIN "dim_1_groups0" AS "g0"
      ON "g0"."label" = "d"."v0"
    LEFT JOIN "dim_1_groups1" AS "g1"
      ON "g1"."label" = "d"."v1"
    LEFT JOIN "dim_1_groups2" AS "g2"
      ON "g2"."label" = "d"."v2"
  )
  SELECT
    "d"."code",
    "d"."value",
    "d"."v0",
    "d"."g0",
    "d"."leaves0",
    CASE WHEN "d"."g0" > 0 THEN "d"."lo0" END AS "lo0",
    CASE WHEN "d"."g0" > 0 THEN "d"."hi0" END AS "hi0",
    "d"."v1",
    "d"."g1",
    "d"."leaves1",
    CASE WHEN "d"."g1" > 0 THEN "d"."lo1" END AS "lo1",
    CASE WHEN "d"."g1" > 0 THEN "d"."hi1" END AS "hi1",
    "d"."v2",
    "d"."g2",
    "d"."leaves2",
    CASE WHEN "d"."g2" > 0 THEN "d"."lo2" END AS "lo2",
    CASE WHEN "d"."g2" > 0 THEN "d"."hi2" END AS "hi2"
  FROM "dim_1_grouped" AS "d"
), "leaves_2" AS (
  SELECT
    CAST("f"."v0" AS VARCHAR) AS "v0",
    CAST("f"."v1" AS VARCHAR) AS "v1",
    CAST("f"."v2" AS VARCHAR) AS "v2",
    CAST("f"."place" AS INTEGER) AS "place"
  FROM (VALUES
    ('north {{ '{' }}1}', 'inland', '*', 0),
    ('south''s{{ '\r' }}end', 'inland', '*', 1),
    ('sea', 'coast', '*', 2)) AS "f"("v0", "v1", "v2", "place")
), "dim_2" AS (
  WITH "dim_2_numbered" AS (
    SELECT
      CAST(ROW_NUMBER() OVER (ORDER BY "l"."place", "l"."value") AS INTEGER) AS "code",
      "l"."value",
      "l"."v0",
      "l"."v1",
      "l"."v2"
    FROM (
      WITH "dim_2_found" AS (
        SELECT DISTINCT
          "t"."q2" AS "value"
        FROM "combinations" AS "t"
        WHERE
          NOT "t"."q2" IS NULL
      )
      SELECT
        "f"."value",
        "l"."place",
        "l"."v0",
        "l"."v1",
        "l"."v2"
      FROM (
        SELECT
          "b"."v0",
          "b"."place",
          "b"."v1",
          "b"."v2"
        FROM "leaves_2" AS "b"
      ) AS "l"
      FULL JOIN "dim_2_found" AS "f"
        ON CAST("f"."value" AS VARCHAR) = "l"."v0"
    ) AS "l"
    UNION ALL
    SELECT
      0,
      NULL,
      NULL,
      NULL,
      '*'
  ), "dim_2_groups0" AS (
    SELECT
      "n"."v0" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_2_numbered" AS "n"
    WHERE
      NOT "n"."v0" IS NULL
    GROUP BY
      "n"."v0"
  ), "dim_2_groups1" AS (
    SELECT
      "n"."v1" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_2_numbered" AS "n"
    WHERE
      NOT "n"."v1" IS NULL
    GROUP BY
      "n"."v1"
  ), "dim_2_groups2" AS (
    SELECT
      "n"."v2" AS "label",
      MIN("n"."code") AS "code",
      COUNT(*) AS "leaves"
    FROM "dim_2_numbered" AS "n"
    WHERE
      NOT "n"."v2" IS NULL
    GROUP BY
      "n"."v2"
  ), "dim_2_unlabelled" AS (
    SELECT
      MIN(CASE WHEN "n"."v0" IS NULL THEN "n"."code" END) AS "code0",
      COUNT(CASE WHEN "n"."v0" IS NULL THEN 1 END) AS "leaves0",
      MIN(CASE WHEN "n"."v1" IS NULL THEN "n"."code" END) AS "code1",
      COUNT(CASE WHEN "n"."v1" IS NULL THEN 1 END) AS "leaves1",
      MIN(CASE WHEN "n"."v2" IS NULL THEN "n"."code" END) AS "code2",
      COUNT(CASE WHEN "n"."v2" IS NULL THEN 1 END) AS "leaves2"
    FROM "dim_2_numbered" AS "n"
  ), "dim_2_grouped" AS (
    SELECT
      "d".*,
      CASE WHEN "d"."v0" IS NULL THEN "u"."code0" ELSE "g0"."code" END AS "g0",
      CASE WHEN "d"."v0" IS NULL THEN "u"."leaves0" ELSE "g0"."leaves" END AS "leaves0",
      CASE WHEN "d"."v1" IS NULL THEN "u"."code1" ELSE "g1"."code" END AS "g1",
      CASE WHEN "d"."v1" IS NULL THEN "u"."leaves1" ELSE "g1"."leaves" END AS "leaves1",
      CASE WHEN "d"."v2" IS NULL THEN "u"."code2" ELSE "g2"."code" END AS "g2",
      CASE WHEN "d"."v2" IS NULL THEN "u"."leaves2" ELSE "g2"."leaves" END AS "leaves2"
    FROM "dim_2_numbered" AS "d"
    CROSS JOIN "dim_2_unlabelled" AS "u"
    LEFT JOIN "dim_2_groups0" AS "g0"
      ON "g0"."label" = "d"."v0"
    LEFT JOIN "dim_2_groups1" AS "g1"
      ON "g1"."label" = "d"."v1"
    LEFT JOIN "dim_2_groups2" AS "g2"
      ON "g2"."label" = "d"."v2"
  )
  SELECT
    "d"."code",
    "d"."value",
    "d"."v0",
    "d"."g0",
    "d"."leaves0",
    "d"."v1",
    "d"."g1",
    "d"."leaves1",
    "d"."v2",
    "d"."g2",
    "d"."leaves2"
  FROM "dim_2_grouped" AS "d"
), "cells" AS (
  SELECT
    COALESCE("d1"."g1", CASE WHEN "t"."q1" IS NULL THEN 0 ELSE -2 END) AS "c1",
    COALESCE("d2"."g1", CASE WHEN "t"."q2" IS NULL THEN 0 ELSE -2 END) AS "c2",
    CAST(SUM("t"."n") AS BIGINT) AS "n"
  FROM "combinations" AS "t"
  LEFT JOIN "dim_1" AS "d1"
    ON "d1"."value" = "t"."q1"
  LEFT JOIN "dim_2" AS "d2"
    ON "d2"."value" = "t"."q2"
  GROUP BY
    COALESCE("d1"."g1", CASE WHEN "t"."q1" IS NULL THEN 0 ELSE -2 END),
    COALESCE("d2"."g1", CASE WHEN "t"."q2" IS NULL THEN 0 ELSE -2 END)
), "problems" AS (
  SELECT
    "h"."attribute",
    "h"."rule",
    "h"."level",
    "h"."offenders"
  FROM (
    SELECT
      "o"."attribute",
      "o"."rule",
      "o"."level",
      "o"."offenders"
    FROM (
      SELECT
        1 AS "attribute",
        "c"."rule",
        "c"."level",
        CASE
          WHEN "c"."rule" = 'missing'
          THEN "t"."missing"
          WHEN "c"."rule" = 'twice'
          THEN "t"."twice"
          WHEN "c"."rule" = 'tops'
          THEN "t"."tops"
          WHEN "c"."rule" = 'bounds' AND "c"."level" = 0
          THEN "t"."bounds0"
          WHEN "c"."rule" = 'bounds' AND "c"."level" = 1
          THEN "t"."bounds1"
          WHEN "c"."rule" = 'bounds' AND "c"."level" = 2
          THEN "t"."bounds2"
        END AS "offenders"
      FROM (
        SELECT
          COUNT(CASE WHEN NOT "d"."value" IS NULL AND "d"."v2" IS NULL THEN 1 END) AS "missing",
          COUNT("d"."value") - COUNT(DISTINCT "d"."value") AS "twice",
          COUNT(DISTINCT "d"."v2") - 1 AS "tops",
          COUNT(CASE WHEN "d"."value" < "d"."lo0" OR "d"."value" > "d"."hi0" THEN 1 END) AS "bounds0",
          COUNT(CASE WHEN "d"."value" < "d"."lo1" OR "d"."value" > "d"."hi1" THEN 1 END) AS "bounds1",
          COUNT(CASE WHEN "d"."value" < "d"."lo2" OR "d"."value" > "d"."hi2" THEN 1 END) AS "bounds2"
        FROM "dim_1" AS "d"
      ) AS "t"
      CROSS JOIN (VALUES
        ('missing', 0),
        ('twice', 0),
        ('tops', 2),
        ('bounds', 0),
        ('bounds', 1),
        ('bounds', 2)) AS "c"("rule", "level")
      UNION ALL
      SELECT
        1 AS "attribute",
        'parents' AS "rule",
        0 AS "level",
        COUNT(*) AS "offenders"
      FROM (
        SELECT
          "d"."g0"
        FROM "dim_1" AS "d"
        WHERE
          NOT "d"."v0" IS NULL
        GROUP BY
          "d"."g0"
        HAVING
          MIN("d"."v1") <> MAX("d"."v1")
      ) AS "p"
      UNION ALL
      SELECT
        1 AS "attribute",
        'parents' AS "rule",
        1 AS "level",
        COUNT(*) AS "offenders"
      FROM (
        SELECT
          "d"."g1"
        FROM "dim_1" AS "d"
        WHERE
          NOT "d"."v1" IS NULL
        GROUP BY
          "d"."g1"
        HAVING
          MIN("d"."v2") <> MAX("d"."v2")
      ) AS "p"
      UNION ALL
      SELECT
        2 AS "attribute",
        "c"."rule",
        "c"."level",
        CASE
          WHEN "c"."rule" = 'missing'
          THEN "t"."missing"
          WHEN "c"."rule" = 'twice'
          THEN "t"."twice"
          WHEN "c"."rule" = 'tops'
          THEN "t"."tops"
        END AS "offenders"
      FROM (
        SELECT
          COUNT(CASE WHEN NOT "d"."value" IS NULL AND "d"."v2" IS NULL THEN 1 END) AS "missing",
          COUNT("d"."value") - COUNT(DISTINCT "d"."value") AS "twice",
          COUNT(DISTINCT "d"."v2") - 1 AS "tops"
        FROM "dim_2" AS "d"
      ) AS "t"
      CROSS JOIN (VALUES
        ('missing', 0),
        ('twice', 0),
        ('tops', 2)) AS "c"("rule", "level")
      UNION ALL
      SELECT
        2 AS "attribute",
        'parents' AS "rule",
        0 AS "level",
        COUNT(*) AS "offenders"
      FROM (
        SELECT
          "d"."g0"
        FROM "dim_2" AS "d"
        WHERE
          NOT "d"."v0" IS NULL
        GROUP BY
          "d"."g0"
        HAVING
          MIN("d"."v1") <> MAX("d"."v1")
      ) AS "p"
      UNION ALL
      SELECT
        2 AS "attribute",
        'parents' AS "rule",
        1 AS "level",
        COUNT(*) AS "offenders"
      FROM (
        SELECT
          "d"."g1"
        FROM "dim_2" AS "d"
        WHERE
          NOT "d"."v1" IS NULL
        GROUP BY
          "d"."g1"
        HAVING
          MIN("d"."v2") <> MAX("d"."v2")
      ) AS "p"
    ) AS "o"
    WHERE
      "o"."offenders" > 0
    ORDER BY
      "o"."attribute",
      "o"."rule",
      "o"."level"
  ) AS "h"
  UNION ALL
  SELECT
    0,
    'suppressed',
    0,
    "u"."suppressed"
  FROM (
    SELECT
      "t"."suppressed",
      "t"."total"
    FROM (
      SELECT
        SUM(CASE WHEN "c"."n" < 3 THEN "c"."n" ELSE 0 END) AS "suppressed",
        SUM("c"."n") AS "total"
      FROM "cells" AS "c"
    ) AS "t"
    WHERE
      "t"."suppressed" > "t"."total" * 0.1
  ) AS "u"
), "released" AS (
  SELECT
    "d1"."v1" AS "age",
    "d1"."lo1" AS "age_lo",
    "d1"."hi1" AS "age_hi",
    "d2"."v1" AS "ward",
    "s"."ill" AS "ill"
  FROM {{ source("raw", "t") }} AS "s"
  LEFT JOIN "dim_1" AS "d1"
    ON "d1"."value" = "s"."age"
  LEFT JOIN "dim_2" AS "d2"
    ON "d2"."value" = "s"."ward"
)
-- the release, or nothing where there are problems
SELECT
  "r"."age",
  "r"."age_lo",
  "r"."age_hi",
  "r"."ward",
  "r"."ill"
FROM (
  SELECT
    "o"."age",
    "o"."age_lo",
    "o"."age_hi",
    "o"."ward",
    "o"."ill",
    COUNT(*) OVER (PARTITION BY "o"."age", "o"."age_lo", "o"."age_hi", "o"."ward") AS "ordering"
  FROM "released" AS "o"
) AS "r"
WHERE
  "r"."ordering" >= 3 AND NOT EXISTS(
    SELECT
      1
    FROM "problems" AS "p"
  )
ORDER BY
  CAST("r"."age" AS VARCHAR) NULLS FIRST,
  "r"."age_lo" NULLS FIRST,
  "r"."age_hi" NULLS FIRST,
  CAST("r"."ward" AS VARCHAR) NULLS FIRST,
  CAST("r"."ill" AS VARCHAR) NULLS FIRST
