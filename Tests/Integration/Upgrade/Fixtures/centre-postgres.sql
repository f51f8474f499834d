SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.moorage_delete_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 1, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_delete_2_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."member"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'user_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (l0."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."user_id" FROM "public"."member" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0
WHERE octet_length((l0."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."member" AS l0
  WHERE l0."id" = r.k0 AND octet_length((l0."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (l0."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
ELSE
  INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_delete_3_tag() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."tag"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_3', true) <> '' THEN
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_3')::text[], current_setting('moorage.edited_at_3')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_3', '', true), set_config('moorage.edited_k0_3', '', true), set_config('moorage.edited_taken_3',
    coalesce(nullif(current_setting('moorage.edited_taken_3', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_3', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_3', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_delete_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 4, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_delete_5_word() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."word"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_5', true) <> '' THEN
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_5')::text[], current_setting('moorage.edited_at_5')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_5', '', true), set_config('moorage.edited_k0_5', '', true), set_config('moorage.edited_taken_5',
    coalesce(nullif(current_setting('moorage.edited_taken_5', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_5', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_5', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_insert_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 1, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_insert_2_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."member"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'user_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (l0."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."user_id" FROM "public"."member" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0
WHERE octet_length((l0."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."member" AS l0
  WHERE l0."id" = r.k0 AND octet_length((l0."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (l0."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
ELSE
  INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT n."id"::bigint AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_insert_3_tag() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."tag"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_3', true) <> '' THEN
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_3')::text[], current_setting('moorage.edited_at_3')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_3', '', true), set_config('moorage.edited_k0_3', '', true), set_config('moorage.edited_taken_3',
    coalesce(nullif(current_setting('moorage.edited_taken_3', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_3', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_3', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_insert_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  PERFORM 1 FROM (SELECT DISTINCT q."project_id" FROM moorage_rows AS q) AS p
JOIN "public"."project" AS l1 ON l1."id" = p."project_id"
ORDER BY l1."id" FOR KEY SHARE OF l1;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 4, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_insert_5_word() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."word"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_5', true) <> '' THEN
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_5')::text[], current_setting('moorage.edited_at_5')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_5', '', true), set_config('moorage.edited_k0_5', '', true), set_config('moorage.edited_taken_5',
    coalesce(nullif(current_setting('moorage.edited_taken_5', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT (n."id"::text COLLATE "C") AS k0 FROM moorage_rows AS n ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_5', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_5', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_resolve_1() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
DECLARE notes bigint[];
BEGIN
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  SELECT array_agg(n.id) INTO notes FROM (
  SELECT n.id FROM "public"."moorage_note" AS n WHERE n.number = 1 FOR UPDATE) AS n;
IF notes IS NULL THEN RETURN; END IF;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0
ORDER BY l0."id"::bigint FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_1_project" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
PERFORM 1 FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c
JOIN "public"."project" AS l0 ON l0."id" = c.k0
ORDER BY l0."id"::bigint FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_1_project" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
DELETE FROM "public"."moorage_note" AS n WHERE n.id = ANY (notes);
ELSE
  DELETE FROM "public"."moorage_note" WHERE number = 1;
  NULL;
END IF;
END $$;
CREATE FUNCTION public.moorage_resolve_2() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
DECLARE notes bigint[];
BEGIN
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'user_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  SELECT array_agg(n.id) INTO notes FROM (
  SELECT n.id FROM "public"."moorage_note" AS n WHERE n.number = 2 FOR UPDATE) AS n;
IF notes IS NULL THEN RETURN; END IF;
PERFORM 1 FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c
JOIN "public"."member" AS l0 ON l0."id" = c.k0
ORDER BY l0."id"::bigint FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_2_member" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (l0."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."user_id" FROM "public"."member" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0
WHERE octet_length((l0."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."member" AS l0
  WHERE l0."id" = r.k0 AND octet_length((l0."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (l0."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT m.row_key[1]::bigint AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
DELETE FROM "public"."moorage_note" AS n WHERE n.id = ANY (notes);
ELSE
  DELETE FROM "public"."moorage_note" WHERE number = 2;
  NULL;
END IF;
END $$;
CREATE FUNCTION public.moorage_resolve_4() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
DECLARE notes bigint[];
BEGIN
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  SELECT array_agg(n.id) INTO notes FROM (
  SELECT n.id FROM "public"."moorage_note" AS n WHERE n.number = 4 FOR UPDATE) AS n;
IF notes IS NULL THEN RETURN; END IF;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."project" AS u
ON u."id" = p.p0 ORDER BY u."id"
FOR UPDATE OF u;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 0) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 1) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0
ORDER BY l1."id" FOR UPDATE OF l1;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 1) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id"
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 1) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT (m.row_key[1]::bigint) AS p0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper = 1) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
PERFORM 1 FROM (SELECT DISTINCT (m.row_key[1]::text COLLATE "C") AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c
JOIN "public"."task" AS l0 ON l0."id" = (c.k0 COLLATE pg_catalog."default")
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (m.row_key[1]::text COLLATE "C") AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (m.row_key[1]::text COLLATE "C") AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (m.row_key[1]::text COLLATE "C") AS k0 FROM "public"."moorage_note" AS m
WHERE m.id = ANY (notes) AND m.upper IS NULL) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
DELETE FROM "public"."moorage_note" AS n WHERE n.id = ANY (notes);
ELSE
  DELETE FROM "public"."moorage_note" WHERE number = 4;
  NULL;
END IF;
END $$;
CREATE FUNCTION public.moorage_truncate_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  UPDATE "public"."moorage_track_1_project" AS r
SET live = false, version = pg_current_xact_id(), changed_at = (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
WHERE r.live
  AND NOT EXISTS (
    SELECT FROM "public"."project" AS l WHERE l."id" = r.k0);
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_truncate_2_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."member"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  UPDATE "public"."moorage_track_2_member" AS r
SET live = false, version = pg_current_xact_id(), changed_at = (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
WHERE r.live
  AND NOT EXISTS (
    SELECT FROM "public"."member" AS l WHERE l."id" = r.k0);
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_truncate_3_tag() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_nestloop TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."tag"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  UPDATE "public"."moorage_track_3_tag" AS r
SET live = false, version = pg_current_xact_id(), changed_at = (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
WHERE r.live
  AND NOT EXISTS (
    SELECT FROM "public"."tag" AS l WHERE l."id" = (r.k0 COLLATE pg_catalog."default"));
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_truncate_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_nestloop TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  UPDATE "public"."moorage_track_4_task" AS r
SET live = false, version = pg_current_xact_id(), changed_at = (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
WHERE r.live
  AND NOT EXISTS (
    SELECT FROM "public"."task" AS l WHERE l."id" = (r.k0 COLLATE pg_catalog."default"));
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_truncate_5_word() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_nestloop TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."word"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  UPDATE "public"."moorage_track_5_word" AS r
SET live = false, version = pg_current_xact_id(), changed_at = (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
WHERE r.live
  AND NOT EXISTS (
    SELECT FROM "public"."word" AS l WHERE l."id" = (r.k0 COLLATE pg_catalog."default"));
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_update_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."id"), ROW(o."id"))) THEN
  
  INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."id"), ROW(o."id"))) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."id"), ROW(o."id"))) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 1, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."id"), ROW(o."id"))) AS c;
END IF;
END IF;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 1, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_update_2_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."member"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'user_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."user_id"), ROW(o."user_id"))) THEN
  
  INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (l0."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."user_id"), ROW(o."user_id"))) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."user_id" FROM "public"."member" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0
WHERE octet_length((l0."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."user_id"), ROW(o."user_id"))) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."member" AS l0
  WHERE l0."id" = r.k0 AND octet_length((l0."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (l0."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  
END IF;
INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
ELSE
  INSERT INTO "public"."moorage_track_2_member" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce(n."id"::bigint, o."id"::bigint) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON n."id"::bigint = o."id"::bigint
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_2_member" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_update_3_tag() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."tag"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_3', true) <> '' THEN
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_3')::text[], current_setting('moorage.edited_at_3')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_3', '', true), set_config('moorage.edited_k0_3', '', true), set_config('moorage.edited_taken_3',
    coalesce(nullif(current_setting('moorage.edited_taken_3', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_3_tag" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."tag" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.* ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_3', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_3', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_update_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C") WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."project_id"), ROW(o."project_id"))) THEN
  PERFORM 1 FROM (SELECT DISTINCT q."project_id" FROM (SELECT n.* FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C") WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."project_id"), ROW(o."project_id"))) AS q) AS p
JOIN "public"."project" AS l1 ON l1."id" = p."project_id"
ORDER BY l1."id" FOR KEY SHARE OF l1;
  INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C") WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."project_id"), ROW(o."project_id"))) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END, changed_at = EXCLUDED.changed_at;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C") WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."project_id"), ROW(o."project_id"))) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 4, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0 FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C") WHERE n."id" IS NULL OR o."id" IS NULL OR record_image_ne(ROW(n."project_id"), ROW(o."project_id"))) AS c;
END IF;
END IF;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
IF current_setting('transaction_isolation') <> 'read committed' THEN
  INSERT INTO "public"."moorage_note" (number, upper, row_key)
  SELECT 4, NULL, ARRAY[c.k0::text] FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c;
END IF;
ELSE
  INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, true, pg_current_xact_id(), r.entered,
       (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE true
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_update_5_word() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."word"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = TG_RELID AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF pg_trigger_depth() = 1 AND current_setting('moorage.edited_at_5', true) <> '' THEN
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), least(c.edited, (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    FROM (SELECT k0, max(edited) AS edited
FROM (SELECT k0, NULL::bigint AS edited FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.*) AS w
      UNION ALL
      SELECT (a.k0 COLLATE "C") AS k0, a.edited
      FROM unnest(current_setting('moorage.edited_k0_5')::text[], current_setting('moorage.edited_at_5')::bigint[])
        AS a(k0, edited)) AS b
GROUP BY k0 HAVING bool_or(edited IS NULL) ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  PERFORM set_config('moorage.edited_at_5', '', true), set_config('moorage.edited_k0_5', '', true), set_config('moorage.edited_taken_5',
    coalesce(nullif(current_setting('moorage.edited_taken_5', true), ''), 'true'), true);
ELSE
  INSERT INTO "public"."moorage_track_5_word" AS t
      (k0, scope, live, version, entered, changed_at)
    SELECT c.k0, '*',
           (SELECT true FROM "public"."word" AS l
            WHERE l."id" = (c.k0 COLLATE pg_catalog."default") LIMIT 1) IS NOT NULL,
           pg_current_xact_id(), pg_current_xact_id(), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    FROM (SELECT DISTINCT coalesce((n."id"::text COLLATE "C"), (o."id"::text COLLATE "C")) AS k0
FROM moorage_new AS n FULL JOIN moorage_old AS o ON (n."id"::text COLLATE "C") = (o."id"::text COLLATE "C")
WHERE n."id" IS NULL OR o."id" IS NULL OR n.* *<> o.* ORDER BY k0) AS c
    ON CONFLICT (k0, scope) DO UPDATE
      SET live = EXCLUDED.live, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END,
          changed_at = EXCLUDED.changed_at;
  IF current_setting('moorage.edited_taken_5', true) = 'true' THEN
    PERFORM set_config('moorage.edited_taken_5', 'false', true);
  END IF;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper0_lock_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."project"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF NOT current_setting('transaction_isolation') <> 'read committed' THEN
  PERFORM 1 FROM "public"."project" AS u
  WHERE (u."id" = OLD."project_id") OR (u."id" = NEW."project_id") ORDER BY u."id"
  FOR UPDATE;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE FUNCTION public.moorage_upper0_truncate_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."project"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  UPDATE "public"."moorage_track_1_project" AS r SET live = false, version = pg_current_xact_id()
WHERE r.live AND NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope));
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper0_update_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."project"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 1, 0, ARRAY[p.p0::text] FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0
ORDER BY l0."id"::bigint FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_1_project" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper0_update_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 4, 0, ARRAY[p.p0::text] FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS u
ON u."id" = p.p0 ORDER BY u."id"
FOR UPDATE OF u;
PERFORM 1 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."id" AS p0, ARRAY[x."id"::text COLLATE "C", x."id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper0_wrote_1_project() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."project"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."project"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (20, 21, 23)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 1, 0, ARRAY[p.p0::text] FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0
ORDER BY l0."id"::bigint FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_1_project" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id" FROM "public"."project" AS l
  WHERE l."id" = c.k0 OFFSET 0) AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_1_project" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT l0."id"::bigint AS k0 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l0 ON l0."id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_1_project" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."project" AS l0 JOIN "public"."member" AS m ON l0."id" = m."project_id"
  WHERE l0."id" = r.k0 AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper0_wrote_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 4, 0, ARRAY[p.p0::text] FROM (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS u
ON u."id" = p.p0 ORDER BY u."id"
FOR UPDATE OF u;
PERFORM 1 FROM (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT x."id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."task" AS l0 ON l0."project_id" = p.p0) AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper1_lock_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN coalesce(NEW, OLD);
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF NOT current_setting('transaction_isolation') <> 'read committed' THEN
  PERFORM 1 FROM "public"."project" AS u
  WHERE (u."id" = OLD."project_id") OR (u."id" = NEW."project_id") ORDER BY u."id"
  FOR UPDATE;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN coalesce(NEW, OLD);
END $$;
CREATE FUNCTION public.moorage_upper1_truncate_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  UPDATE "public"."moorage_track_4_task" AS r SET live = false, version = pg_current_xact_id()
WHERE r.live AND NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope));
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper1_update_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 4, 1, ARRAY[p.p0::text] FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0
ORDER BY l1."id" FOR UPDATE OF l1;
PERFORM 1 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id"
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT p0 FROM (
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x) UNION ALL
  (SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_old AS x EXCEPT SELECT x."project_id" AS p0, ARRAY[x."project_id"::text COLLATE "C", x."user_id"::text COLLATE "C"] FROM moorage_new AS x)) AS y) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
CREATE FUNCTION public.moorage_upper1_wrote_4_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    SET "DateStyle" TO 'ISO, YMD'
    SET "IntervalStyle" TO 'postgres'
    SET extra_float_digits TO '1'
    AS $$
BEGIN
  -- A table or key of another shape is tracked again when it is attached again.
  IF to_regclass('"public"."task"') IS NULL
     OR (SELECT count(*) FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = to_regclass('"public"."task"') AND a.attnum > 0 AND NOT a.attisdropped
           AND ((a.attname = 'id' AND a.atttypid IN (25, 1042, 1043)))) <> 1 THEN
    RETURN NULL;
  END IF;
  IF NOT EXISTS (
  SELECT FROM (VALUES ('"public"."member"', 'project_id'), ('"public"."member"', 'user_id'), ('"public"."project"', 'id'), ('"public"."task"', 'project_id')) AS v(t, c)
  WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid = to_regclass(v.t) AND a.attname = v.c AND NOT a.attisdropped)) THEN
  IF EXISTS (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) THEN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    INSERT INTO "public"."moorage_note" (number, upper, row_key)
    SELECT 4, 1, ARRAY[p.p0::text] FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p;
  ELSE
    PERFORM 1 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0
ORDER BY l1."id" FOR UPDATE OF l1;
PERFORM 1 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id"
ORDER BY (l0."id"::text COLLATE "C") FOR UPDATE OF l0;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT d.k0, d.scope, true, pg_current_xact_id(), pg_current_xact_id(), coalesce((SELECT max(x.changed_at) FROM "public"."moorage_track_4_task" AS x
          WHERE x.k0 = d.k0), (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
FROM (SELECT c.k0, 'person/'::text || (m."user_id"::text COLLATE "C") AS scope
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT l."id", l."project_id" FROM "public"."task" AS l
  WHERE l."id" = (c.k0 COLLATE pg_catalog."default") OFFSET 0) AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
WHERE octet_length((m."user_id"::text COLLATE "C")) <= 200) AS d
ON CONFLICT (k0, scope) DO UPDATE SET live = true, version = EXCLUDED.version, entered = CASE WHEN (t.live OR t.entered <> t.version) THEN t.entered ELSE EXCLUDED.version END WHERE NOT t.live;
INSERT INTO "public"."moorage_track_4_task" AS t
  (k0, scope, live, version, entered, changed_at)
SELECT r.k0, r.scope, false, pg_current_xact_id(), r.entered,
       r.changed_at
FROM (SELECT DISTINCT (l0."id"::text COLLATE "C") AS k0 FROM (SELECT DISTINCT x."project_id" AS p0 FROM moorage_rows AS x) AS p JOIN "public"."project" AS l1 ON l1."id" = p.p0 JOIN "public"."task" AS l0 ON l0."project_id" = l1."id") AS c CROSS JOIN LATERAL (
  SELECT x.* FROM "public"."moorage_track_4_task" AS x WHERE x.k0 = c.k0 AND x.live
  OFFSET 0) AS r
WHERE NOT (EXISTS (SELECT FROM "public"."task" AS l0 JOIN "public"."project" AS l1 ON l1."id" = l0."project_id" JOIN "public"."member" AS m ON l1."id" = m."project_id"
  WHERE l0."id" = (r.k0 COLLATE pg_catalog."default") AND octet_length((m."user_id"::text COLLATE "C")) <= 200
    AND 'person/'::text || (m."user_id"::text COLLATE "C") = r.scope OFFSET 0))
ON CONFLICT (k0, scope) DO UPDATE
  SET live = EXCLUDED.live, version = EXCLUDED.version, changed_at = EXCLUDED.changed_at
  WHERE t.live;
  END IF;
END IF;
ELSE
  
  NULL;
END IF;
  RETURN NULL;
END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.member (
    id bigint NOT NULL,
    project_id bigint NOT NULL,
    user_id text NOT NULL
);
CREATE TABLE public.moorage_audit (
    id text NOT NULL COLLATE pg_catalog."C",
    at bigint,
    subject text,
    replica text,
    batch bigint,
    table_name text,
    row_key text,
    operation text,
    columns text,
    outcome text
);
CREATE TABLE public.moorage_batch (
    replica text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    nonce text,
    taken_at bigint
);
CREATE TABLE public.moorage_conflict (
    id text NOT NULL COLLATE pg_catalog."C",
    replica text,
    batch bigint,
    table_name text,
    row_key text,
    kind text,
    rule text,
    base text,
    mine text,
    theirs text,
    result text,
    reason_code text,
    reason text,
    edited_at bigint,
    logged_at bigint
);
CREATE TABLE public.moorage_decision (
    id text NOT NULL COLLATE pg_catalog."C",
    decision text,
    decided_at bigint
);
CREATE TABLE public.moorage_given (
    replica text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    subject text,
    since text,
    lost_at text
);
CREATE TABLE public.moorage_key (
    table_name text NOT NULL COLLATE pg_catalog."C",
    next_key bigint
);
CREATE TABLE public.moorage_mark (
    "position" bigint NOT NULL,
    mark text,
    at bigint
);
CREATE TABLE public.moorage_meta (
    name text NOT NULL COLLATE pg_catalog."C",
    value text
);
CREATE TABLE public.moorage_note (
    id bigint NOT NULL,
    number bigint NOT NULL,
    upper integer,
    row_key text[] NOT NULL
);
ALTER TABLE public.moorage_note ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.moorage_note_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.moorage_priority (
    id text NOT NULL COLLATE pg_catalog."C",
    priority bigint,
    changed_at bigint
);
CREATE TABLE public.moorage_registration (
    replica text NOT NULL COLLATE pg_catalog."C",
    subject text,
    standing text,
    standing_at bigint,
    registered_at bigint,
    seen_at bigint
);
CREATE TABLE public.moorage_replica (
    id text NOT NULL COLLATE pg_catalog."C",
    last_batch bigint,
    last_nonce text,
    outcomes text,
    prepared_at bigint,
    registered_at bigint,
    seen_at bigint
);
CREATE TABLE public.moorage_scope (
    number bigint NOT NULL,
    paths text
);
CREATE TABLE public.moorage_table (
    number bigint NOT NULL,
    name text,
    description text
);
CREATE TABLE public.moorage_track_1_project (
    k0 bigint NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    version xid8 NOT NULL,
    entered xid8 NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.moorage_track_2_member (
    k0 bigint NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    version xid8 NOT NULL,
    entered xid8 NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.moorage_track_3_tag (
    k0 text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    version xid8 NOT NULL,
    entered xid8 NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.moorage_track_4_task (
    k0 text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    version xid8 NOT NULL,
    entered xid8 NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.moorage_track_5_word (
    k0 text NOT NULL COLLATE pg_catalog."C",
    scope text NOT NULL COLLATE pg_catalog."C",
    live boolean NOT NULL,
    version xid8 NOT NULL,
    entered xid8 NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.project (
    id bigint NOT NULL,
    name text NOT NULL
);
CREATE TABLE public.tag (
    id text NOT NULL,
    text text,
    gone bigint
);
CREATE TABLE public.task (
    id text NOT NULL,
    project_id bigint NOT NULL,
    title text,
    code bigint,
    cost double precision,
    grade bigint DEFAULT 3
);
CREATE TABLE public.word (
    id text NOT NULL,
    meaning text,
    note text
);
INSERT INTO public.member VALUES (1, 1, 'ann');
INSERT INTO public.member VALUES (3, 3, 'bob');
INSERT INTO public.member VALUES (4, 1, 'bob');
INSERT INTO public.moorage_batch VALUES ('eff13d23-6fd6-4560-8a9f-efacc83811be', 1, '2b5d29c5-08ad-46ea-b447-db38569a011d', 1795738550197);
INSERT INTO public.moorage_conflict VALUES ('613151bb8986d79c771e8a61875d8be7-0-0', 'eff13d23-6fd6-4560-8a9f-efacc83811be', 1, 'task', '["t1"]', 'updateUpdate', 'newest', '{"title":"Dredge"}', '{"title":"Dredge (device)"}', '{"title":"Dredge (office)"}', '{"title":"Dredge (office)"}', NULL, NULL, 1795738549612, 1795738550197);
INSERT INTO public.moorage_given VALUES ('eff13d23-6fd6-4560-8a9f-efacc83811be', 'person/ann', 'ann', '763:763:', NULL);
INSERT INTO public.moorage_key VALUES ('project', 204);
INSERT INTO public.moorage_mark VALUES (1, '766:766:', 1795738549322);
INSERT INTO public.moorage_meta VALUES ('hub', '59b74b2c-9f2d-4a61-a0b6-6e5e82c517ea');
INSERT INTO public.moorage_meta VALUES ('epoch', '61ea3597-c573-4215-841b-22eab2eddbfa');
INSERT INTO public.moorage_meta VALUES ('identity', '7712638325218745142/00000001/16384/16433');
INSERT INTO public.moorage_meta VALUES ('seal', 'ff9e649a-056e-4424-be9d-85a3f862ea304a1cd62f-257f-4442-ac80-90a6da5fbe17');
INSERT INTO public.moorage_meta VALUES ('format', '4');
INSERT INTO public.moorage_meta VALUES ('columns 1', '{"id":{"words":[]},"name":{"words":[]}}');
INSERT INTO public.moorage_meta VALUES ('columns 2', '{"id":{"words":[]},"project_id":{"words":[]},"user_id":{"words":[]}}');
INSERT INTO public.moorage_meta VALUES ('columns 3', '{"gone":{"words":[]},"id":{"words":[]},"text":{"words":[]}}');
INSERT INTO public.moorage_meta VALUES ('columns 4', '{"code":{"words":[]},"cost":{"words":["type double precision","modifier -1"]},"grade":{"words":[]},"id":{"words":[]},"project_id":{"words":[]},"title":{"words":[]}}');
INSERT INTO public.moorage_meta VALUES ('columns 5', '{"id":{"words":[]},"meaning":{"words":[]},"note":{"words":[]}}');
INSERT INTO public.moorage_meta VALUES ('attached_as', '1:[{"levels":[{"table":"project"}],"kind":"person","members":"member","column":"user_id","type":"text","columns":["project_id"],"referenced":["id"]}]
2:[{"levels":[{"table":"member"}],"kind":"person","column":"user_id","type":"text"}]
4:[{"levels":[{"table":"task","columns":["project_id"],"referenced":["id"]},{"table":"project"}],"kind":"person","members":"member","column":"user_id","type":"text","columns":["project_id"],"referenced":["id"]}]');
INSERT INTO public.moorage_meta VALUES ('purge', '1795738549322');
INSERT INTO public.moorage_registration VALUES ('eff13d23-6fd6-4560-8a9f-efacc83811be', 'ann', 'active', 1795738549322, 1795738549322, 1795738549322);
INSERT INTO public.moorage_replica VALUES ('eff13d23-6fd6-4560-8a9f-efacc83811be', 1, '2b5d29c5-08ad-46ea-b447-db38569a011d', '{"number":1,"status":"applied","list":[{"is":"overruled","lost":{"rule":"newest","theirs":[[2,"Dredge (office)"]],"result":[[2,"Dredge (office)"]]}},"applied","applied"]}', 1795738550187, 1795738550197, 1795738550197);
INSERT INTO public.moorage_scope VALUES (1, '[{"levels":[{"table":"project"}],"kind":"person","members":"member","column":"user_id","type":"text","columns":["project_id"],"referenced":["id"]}]');
INSERT INTO public.moorage_scope VALUES (2, '[{"levels":[{"table":"member"}],"kind":"person","column":"user_id","type":"text"}]');
INSERT INTO public.moorage_scope VALUES (4, '[{"levels":[{"table":"task","columns":["project_id"],"referenced":["id"]},{"table":"project"}],"kind":"person","members":"member","column":"user_id","type":"text","columns":["project_id"],"referenced":["id"]}]');
INSERT INTO public.moorage_table VALUES (1, 'project', '[{"name":"project","columns":[{"name":"id","type":"integer","notNull":true},{"name":"name","type":"text","notNull":true}],"key":[0],"unique":[],"foreign":[]}]');
INSERT INTO public.moorage_table VALUES (2, 'member', '[{"name":"member","columns":[{"name":"id","type":"integer","notNull":true},{"name":"project_id","type":"integer","notNull":true},{"name":"user_id","type":"text","notNull":true}],"key":[0],"unique":[],"foreign":[{"columns":[1],"table":"project","references":["id"],"onDelete":"cascade","onUpdate":"noAction","deferrable":false}]}]');
INSERT INTO public.moorage_table VALUES (3, 'tag', '[{"name":"tag","columns":[{"name":"id","type":"text","notNull":true},{"name":"text","type":"text"},{"name":"gone","type":"integer"}],"key":[0],"unique":[],"foreign":[]}]');
INSERT INTO public.moorage_table VALUES (4, 'task', '[{"name":"task","columns":[{"name":"id","type":"text","notNull":true},{"name":"project_id","type":"integer","notNull":true},{"name":"title","type":"text"},{"name":"code","type":"integer"},{"name":"cost","type":"real"},{"name":"grade","type":"integer","default":[3]}],"key":[0],"unique":[[3]],"foreign":[{"columns":[1],"table":"project","references":["id"],"onDelete":"cascade","onUpdate":"noAction","deferrable":false}]}]');
INSERT INTO public.moorage_table VALUES (5, 'word', '[{"name":"word","columns":[{"name":"id","type":"text","notNull":true},{"name":"meaning","type":"text"},{"name":"note","type":"text"}],"key":[0],"unique":[],"foreign":[]}]');
INSERT INTO public.moorage_track_1_project VALUES (1, 'person/ann', true, '738', '738', 1795738546595);
INSERT INTO public.moorage_track_1_project VALUES (1, 'person/bob', true, '738', '738', 1795738546595);
INSERT INTO public.moorage_track_1_project VALUES (3, 'person/bob', true, '738', '738', 1795738546595);
INSERT INTO public.moorage_track_1_project VALUES (2, 'person/ann', false, '771', '738', 1795738546595);
INSERT INTO public.moorage_track_2_member VALUES (1, 'person/ann', true, '743', '743', 1795738546610);
INSERT INTO public.moorage_track_2_member VALUES (3, 'person/bob', true, '743', '743', 1795738546610);
INSERT INTO public.moorage_track_2_member VALUES (4, 'person/bob', true, '743', '743', 1795738546610);
INSERT INTO public.moorage_track_2_member VALUES (2, 'person/ann', false, '771', '743', 1795738550847);
INSERT INTO public.moorage_track_3_tag VALUES ('g1', '*', true, '748', '748', 1795738546624);
INSERT INTO public.moorage_track_3_tag VALUES ('g2', '*', true, '748', '748', 1795738546624);
INSERT INTO public.moorage_track_3_tag VALUES ('g3', '*', true, '768', '748', 1795738549622);
INSERT INTO public.moorage_track_4_task VALUES ('t4', 'person/bob', true, '753', '753', 1795738546651);
INSERT INTO public.moorage_track_4_task VALUES ('t1', 'person/ann', true, '767', '753', 1795738549932);
INSERT INTO public.moorage_track_4_task VALUES ('t1', 'person/bob', true, '767', '753', 1795738549932);
INSERT INTO public.moorage_track_4_task VALUES ('t3', 'person/ann', false, '771', '753', 1795738546651);
INSERT INTO public.moorage_track_4_task VALUES ('t2', 'person/ann', false, '772', '753', 1795738551831);
INSERT INTO public.moorage_track_4_task VALUES ('t2', 'person/bob', false, '772', '753', 1795738551831);
INSERT INTO public.moorage_track_5_word VALUES ('w2', '*', true, '758', '758', 1795738546664);
INSERT INTO public.moorage_track_5_word VALUES ('w3', '*', true, '768', '768', 1795738549638);
INSERT INTO public.moorage_track_5_word VALUES ('w1', '*', false, '770', '758', 1795738550287);
INSERT INTO public.project VALUES (1, 'Harbour');
INSERT INTO public.project VALUES (2, 'Lighthouse');
INSERT INTO public.project VALUES (3, 'Pier');
INSERT INTO public.tag VALUES ('g1', 'urgent', NULL);
INSERT INTO public.tag VALUES ('g2', 'later', NULL);
INSERT INTO public.tag VALUES ('g3', 'done', 1);
INSERT INTO public.task VALUES ('t3', 2, 'Lamp', 3, 5, 2);
INSERT INTO public.task VALUES ('t4', 3, 'Planks', 4, 1, 1);
INSERT INTO public.task VALUES ('t1', 1, 'Dredge (office)', 1, 10.5, 3);
INSERT INTO public.word VALUES ('w2', 'two', 'b');
INSERT INTO public.word VALUES ('w3', 'three', NULL);
SELECT pg_catalog.setval('public.moorage_note_id_seq', 1, false);
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_audit
    ADD CONSTRAINT moorage_audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_batch
    ADD CONSTRAINT moorage_batch_pkey PRIMARY KEY (replica, number);
ALTER TABLE ONLY public.moorage_conflict
    ADD CONSTRAINT moorage_conflict_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_decision
    ADD CONSTRAINT moorage_decision_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_given
    ADD CONSTRAINT moorage_given_pkey PRIMARY KEY (replica, scope);
ALTER TABLE ONLY public.moorage_key
    ADD CONSTRAINT moorage_key_pkey PRIMARY KEY (table_name);
ALTER TABLE ONLY public.moorage_mark
    ADD CONSTRAINT moorage_mark_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.moorage_meta
    ADD CONSTRAINT moorage_meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.moorage_note
    ADD CONSTRAINT moorage_note_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_priority
    ADD CONSTRAINT moorage_priority_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_registration
    ADD CONSTRAINT moorage_registration_pkey PRIMARY KEY (replica);
ALTER TABLE ONLY public.moorage_replica
    ADD CONSTRAINT moorage_replica_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.moorage_scope
    ADD CONSTRAINT moorage_scope_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.moorage_table
    ADD CONSTRAINT moorage_table_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.moorage_track_1_project
    ADD CONSTRAINT moorage_track_1_project_pkey PRIMARY KEY (k0, scope);
ALTER TABLE ONLY public.moorage_track_2_member
    ADD CONSTRAINT moorage_track_2_member_pkey PRIMARY KEY (k0, scope);
ALTER TABLE ONLY public.moorage_track_3_tag
    ADD CONSTRAINT moorage_track_3_tag_pkey PRIMARY KEY (k0, scope);
ALTER TABLE ONLY public.moorage_track_4_task
    ADD CONSTRAINT moorage_track_4_task_pkey PRIMARY KEY (k0, scope);
ALTER TABLE ONLY public.moorage_track_5_word
    ADD CONSTRAINT moorage_track_5_word_pkey PRIMARY KEY (k0, scope);
ALTER TABLE ONLY public.project
    ADD CONSTRAINT project_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tag
    ADD CONSTRAINT tag_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.task
    ADD CONSTRAINT task_code_key UNIQUE (code);
ALTER TABLE ONLY public.task
    ADD CONSTRAINT task_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.word
    ADD CONSTRAINT word_pkey PRIMARY KEY (id);
CREATE INDEX moorage_audit_at ON public.moorage_audit USING btree (at);
CREATE INDEX moorage_batch_taken_at ON public.moorage_batch USING btree (taken_at);
CREATE INDEX moorage_conflict_logged_at ON public.moorage_conflict USING btree (logged_at);
CREATE INDEX moorage_given_subject ON public.moorage_given USING btree (subject);
CREATE INDEX moorage_gone_1_project ON public.moorage_track_1_project USING btree (version) WHERE (NOT live);
CREATE INDEX moorage_gone_2_member ON public.moorage_track_2_member USING btree (version) WHERE (NOT live);
CREATE INDEX moorage_gone_3_tag ON public.moorage_track_3_tag USING btree (version) WHERE (NOT live);
CREATE INDEX moorage_gone_4_task ON public.moorage_track_4_task USING btree (version) WHERE (NOT live);
CREATE INDEX moorage_gone_5_word ON public.moorage_track_5_word USING btree (version) WHERE (NOT live);
CREATE INDEX moorage_priority_changed_at ON public.moorage_priority USING btree (changed_at);
CREATE INDEX moorage_registration_subject ON public.moorage_registration USING btree (subject);
CREATE INDEX moorage_version_1_project ON public.moorage_track_1_project USING btree (scope, version, k0);
CREATE INDEX moorage_version_2_member ON public.moorage_track_2_member USING btree (scope, version, k0);
CREATE INDEX moorage_version_3_tag ON public.moorage_track_3_tag USING btree (scope, version, k0);
CREATE INDEX moorage_version_4_task ON public.moorage_track_4_task USING btree (scope, version, k0);
CREATE INDEX moorage_version_5_word ON public.moorage_track_5_word USING btree (scope, version, k0);
CREATE TRIGGER moorage_delete_1_project AFTER DELETE ON public.project REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_delete_1_project();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_delete_1_project;
CREATE TRIGGER moorage_delete_2_member AFTER DELETE ON public.member REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_delete_2_member();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_delete_2_member;
CREATE TRIGGER moorage_delete_3_tag AFTER DELETE ON public.tag REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_delete_3_tag();
ALTER TABLE public.tag ENABLE ALWAYS TRIGGER moorage_delete_3_tag;
CREATE TRIGGER moorage_delete_4_task AFTER DELETE ON public.task REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_delete_4_task();
ALTER TABLE public.task ENABLE ALWAYS TRIGGER moorage_delete_4_task;
CREATE TRIGGER moorage_delete_5_word AFTER DELETE ON public.word REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_delete_5_word();
ALTER TABLE public.word ENABLE ALWAYS TRIGGER moorage_delete_5_word;
CREATE TRIGGER moorage_insert_1_project AFTER INSERT ON public.project REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_insert_1_project();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_insert_1_project;
CREATE TRIGGER moorage_insert_2_member AFTER INSERT ON public.member REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_insert_2_member();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_insert_2_member;
CREATE TRIGGER moorage_insert_3_tag AFTER INSERT ON public.tag REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_insert_3_tag();
ALTER TABLE public.tag ENABLE ALWAYS TRIGGER moorage_insert_3_tag;
CREATE TRIGGER moorage_insert_4_task AFTER INSERT ON public.task REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_insert_4_task();
ALTER TABLE public.task ENABLE ALWAYS TRIGGER moorage_insert_4_task;
CREATE TRIGGER moorage_insert_5_word AFTER INSERT ON public.word REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_insert_5_word();
ALTER TABLE public.word ENABLE ALWAYS TRIGGER moorage_insert_5_word;
CREATE TRIGGER moorage_truncate_1_project AFTER TRUNCATE ON public.project FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_truncate_1_project();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_truncate_1_project;
CREATE TRIGGER moorage_truncate_2_member AFTER TRUNCATE ON public.member FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_truncate_2_member();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_truncate_2_member;
CREATE TRIGGER moorage_truncate_3_tag AFTER TRUNCATE ON public.tag FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_truncate_3_tag();
ALTER TABLE public.tag ENABLE ALWAYS TRIGGER moorage_truncate_3_tag;
CREATE TRIGGER moorage_truncate_4_task AFTER TRUNCATE ON public.task FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_truncate_4_task();
ALTER TABLE public.task ENABLE ALWAYS TRIGGER moorage_truncate_4_task;
CREATE TRIGGER moorage_truncate_5_word AFTER TRUNCATE ON public.word FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_truncate_5_word();
ALTER TABLE public.word ENABLE ALWAYS TRIGGER moorage_truncate_5_word;
CREATE TRIGGER moorage_update_1_project AFTER UPDATE ON public.project REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_update_1_project();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_update_1_project;
CREATE TRIGGER moorage_update_2_member AFTER UPDATE ON public.member REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_update_2_member();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_update_2_member;
CREATE TRIGGER moorage_update_3_tag AFTER UPDATE ON public.tag REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_update_3_tag();
ALTER TABLE public.tag ENABLE ALWAYS TRIGGER moorage_update_3_tag;
CREATE TRIGGER moorage_update_4_task AFTER UPDATE ON public.task REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_update_4_task();
ALTER TABLE public.task ENABLE ALWAYS TRIGGER moorage_update_4_task;
CREATE TRIGGER moorage_update_5_word AFTER UPDATE ON public.word REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_update_5_word();
ALTER TABLE public.word ENABLE ALWAYS TRIGGER moorage_update_5_word;
CREATE TRIGGER moorage_upper0_delete_1_project AFTER DELETE ON public.member REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_wrote_1_project();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper0_delete_1_project;
CREATE TRIGGER moorage_upper0_delete_4_task AFTER DELETE ON public.project REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_wrote_4_task();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_upper0_delete_4_task;
CREATE TRIGGER moorage_upper0_insert_1_project AFTER INSERT ON public.member REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_wrote_1_project();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper0_insert_1_project;
CREATE TRIGGER moorage_upper0_insert_4_task AFTER INSERT ON public.project REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_wrote_4_task();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_upper0_insert_4_task;
CREATE TRIGGER moorage_upper0_lock_1_project BEFORE INSERT OR DELETE OR UPDATE OF project_id, user_id ON public.member FOR EACH ROW EXECUTE FUNCTION public.moorage_upper0_lock_1_project();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper0_lock_1_project;
CREATE TRIGGER moorage_upper0_truncate_1_project AFTER TRUNCATE ON public.member FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_truncate_1_project();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper0_truncate_1_project;
CREATE TRIGGER moorage_upper0_update_1_project AFTER UPDATE ON public.member REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_update_1_project();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper0_update_1_project;
CREATE TRIGGER moorage_upper0_update_4_task AFTER UPDATE ON public.project REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper0_update_4_task();
ALTER TABLE public.project ENABLE ALWAYS TRIGGER moorage_upper0_update_4_task;
CREATE TRIGGER moorage_upper1_delete_4_task AFTER DELETE ON public.member REFERENCING OLD TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper1_wrote_4_task();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper1_delete_4_task;
CREATE TRIGGER moorage_upper1_insert_4_task AFTER INSERT ON public.member REFERENCING NEW TABLE AS moorage_rows FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper1_wrote_4_task();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper1_insert_4_task;
CREATE TRIGGER moorage_upper1_lock_4_task BEFORE INSERT OR DELETE OR UPDATE OF project_id, user_id ON public.member FOR EACH ROW EXECUTE FUNCTION public.moorage_upper1_lock_4_task();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper1_lock_4_task;
CREATE TRIGGER moorage_upper1_truncate_4_task AFTER TRUNCATE ON public.member FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper1_truncate_4_task();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper1_truncate_4_task;
CREATE TRIGGER moorage_upper1_update_4_task AFTER UPDATE ON public.member REFERENCING OLD TABLE AS moorage_old NEW TABLE AS moorage_new FOR EACH STATEMENT EXECUTE FUNCTION public.moorage_upper1_update_4_task();
ALTER TABLE public.member ENABLE ALWAYS TRIGGER moorage_upper1_update_4_task;
ALTER TABLE ONLY public.member
    ADD CONSTRAINT member_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.project(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.task
    ADD CONSTRAINT task_project_id_fkey FOREIGN KEY (project_id) REFERENCES public.project(id) ON DELETE CASCADE;
REVOKE ALL ON FUNCTION public.moorage_delete_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_delete_2_member() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_delete_3_tag() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_delete_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_delete_5_word() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_insert_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_insert_2_member() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_insert_3_tag() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_insert_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_insert_5_word() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_resolve_1() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_resolve_2() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_resolve_4() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_truncate_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_truncate_2_member() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_truncate_3_tag() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_truncate_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_truncate_5_word() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_update_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_update_2_member() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_update_3_tag() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_update_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_update_5_word() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_lock_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_truncate_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_update_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_update_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_wrote_1_project() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper0_wrote_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper1_lock_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper1_truncate_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper1_update_4_task() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.moorage_upper1_wrote_4_task() FROM PUBLIC;
