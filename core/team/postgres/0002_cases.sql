-- What a team's lessons are found by. A row of `team_case` belongs to one text of `team_payload` and goes with it, so
-- that what is withdrawn is not found. The server itself fills it, whatever version of casebook appends.

-- `marks`: of each error its fingerprint, and the normalized key, hashed (`mark_of`). `line`: the first error.
CREATE TABLE casebook.team_case (
  team text NOT NULL,
  payload bytea NOT NULL,
  project text NOT NULL,
  lesson text NOT NULL,
  tool text NOT NULL,
  line text NOT NULL,
  marks uuid[] NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (team, payload),
  FOREIGN KEY (team, payload) REFERENCES casebook.team_payload ON DELETE CASCADE
);
CREATE INDEX team_case_marks ON casebook.team_case USING gin (marks) WITH (fastupdate = off);
CREATE INDEX team_case_words ON casebook.team_case USING gin (words) WITH (fastupdate = off);

CREATE FUNCTION casebook.mark_of(name_ text) RETURNS uuid LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$
  SELECT encode(substr(sha256(convert_to(name_, 'UTF8')), 1, 16), 'hex')::uuid
$$;

-- Words, and of runs of Hangul each two syllables. The same on a server of any locale: it asks no locale for letters.
-- Text in ASCII has no Hangul, and needs no table of all letters.
CREATE FUNCTION casebook.words_of(text_ text) RETURNS tsvector LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog AS $$
  SELECT CASE WHEN octet_length(text_) = length(text_)
    THEN to_tsvector('pg_catalog.simple', regexp_replace(text_, '[^A-Za-z0-9]+', ' ', 'g'))
    ELSE to_tsvector('pg_catalog.simple', regexp_replace(normalize(text_, NFC),
        '[^A-Za-z0-9\u00c0-\u1fff\u3040-\ud7ff\uf900-\ufaff\uff10-\uffdc]+', ' ', 'g'))
      || coalesce((
        SELECT array_to_tsvector(array_agg(DISTINCT substr(run[1], at, 2)))
        FROM regexp_matches(normalize(text_, NFC), '[\uac00-\ud7a3]{2,}', 'g') AS found (run),
          generate_series(1, length(run[1]) - 1) AS at
      ), '')
  END
$$;

-- Index the text of one event, if it is there and is a lesson; whether a row was added.
CREATE FUNCTION casebook.index_event(team_ text, project_ text, lesson_ text, payload_ bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
DECLARE
  said jsonb;
  errors jsonb;
BEGIN
  BEGIN
    SELECT replace(p.body, '\u0000', '')::jsonb INTO said FROM team_payload p
      WHERE p.team = team_ AND p.hash = payload_ FOR KEY SHARE;
    errors := CASE jsonb_typeof(said -> 'errors') WHEN 'array' THEN said -> 'errors' ELSE '[]' END;
  EXCEPTION WHEN data_exception THEN
    RETURN false;  -- it is no JSON; a casebook that reads the log says so
  END;
  IF jsonb_typeof(said) IS DISTINCT FROM 'object' THEN
    RETURN false;
  END IF;
  INSERT INTO team_case (team, payload, project, lesson, tool, line, marks, words)
  SELECT team_, payload_, project_, lesson_,
    left(coalesce(said ->> 'tool', errors -> 0 ->> 'tool', ''), 100),
    left(coalesce(errors -> 0 ->> 'line', said ->> 'error', ''), 4000),
    ARRAY(SELECT mark_of(one ->> 'fingerprint') FROM jsonb_array_elements(errors) one WHERE one ->> 'fingerprint' <> '')
      || ARRAY(SELECT mark_of('key ' || key) FROM (VALUES (said ->> 'key')) named (key) WHERE key <> ''),
    setweight(words_of(left(coalesce(said ->> 'error', '') || ' ' || coalesce((
        SELECT string_agg(one ->> 'line', ' ') FROM jsonb_array_elements(errors) one), ''), 20000)), 'A')
      || setweight(words_of(left(coalesce(said ->> 'tags', ''), 2000)), 'B')
      || setweight(words_of(left(concat_ws(' ', said ->> 'tool', said ->> 'text', said #>> '{do,text}', said ->> 'check',
        said ->> 'because'), 20000)), 'D')
  ON CONFLICT DO NOTHING;
  RETURN FOUND;
END $$;

-- At the commit of an append: by then the text is there, unless a withdrawal covers it.
CREATE FUNCTION casebook.index_new_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
BEGIN
  PERFORM index_event(NEW.team, NEW.project, NEW.lesson, NEW.payload);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER team_event_indexed AFTER INSERT ON casebook.team_event
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'lesson') EXECUTE FUNCTION casebook.index_new_event();

CREATE FUNCTION casebook.require_role(team_ text, role_ text) RETURNS void LANGUAGE plpgsql STABLE
SET search_path = casebook, pg_temp AS $$
BEGIN
  IF NOT has_team_role(team_, role_) THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s is not a %s of team %s', session_user, role_, team_);
  END IF;
END $$;

-- Index the lessons of a stretch of the log that are not indexed; how many were added.
CREATE FUNCTION casebook.index_events(team_ text, after_ bigint, until_ bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
BEGIN
  PERFORM require_role(team_, 'member');
  RETURN (
    SELECT count(*) FILTER (WHERE index_event(team_, e.project, e.lesson, e.payload)) FROM team_event e
    WHERE e.team = team_ AND e.seq > after_ AND e.seq <= until_ AND e.kind = 'lesson'
      AND NOT EXISTS (SELECT FROM team_case c WHERE c.team = team_ AND c.payload = e.payload)
  );
END $$;

-- The lessons with one of these marks, or every word of a query. Functions search, and not the login itself, since row
-- level security keeps it from the indexes. `lines`: every version of the lesson that is there, the newest first.
CREATE FUNCTION casebook.lines_of(team_ text, project_ text, lesson_ text) RETURNS text[] LANGUAGE sql STABLE
SET search_path = casebook, pg_temp AS $$
  SELECT ARRAY(
    SELECT p.body FROM team_event e JOIN team_payload p ON p.team = e.team AND p.hash = e.payload
    WHERE e.team = team_ AND e.project = project_ AND e.lesson = lesson_ AND e.kind = 'lesson'
    ORDER BY e.seq DESC LIMIT 20
  )
$$;

CREATE FUNCTION casebook.find_marks(team_ text, marks_ uuid[], most_ integer)
RETURNS TABLE (project text, lesson text, score real, lines text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casebook, pg_temp
SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
BEGIN
  PERFORM require_role(team_, 'reader');
  RETURN QUERY SELECT c.project, c.lesson, 1::real, lines_of(team_, c.project, c.lesson) FROM (
    SELECT DISTINCT o.project, o.lesson FROM team_case o WHERE o.team = team_ AND o.marks && marks_ LIMIT most_
  ) c;
END $$;

-- Of a query whose words are everywhere the first 500 rows are ranked: a search takes no longer than that.
CREATE FUNCTION casebook.find_words(team_ text, query_ text, most_ integer)
RETURNS TABLE (project text, lesson text, score real, lines text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casebook, pg_temp
SET enable_seqscan = off SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  asked tsquery := to_tsquery('pg_catalog.simple', query_);
BEGIN
  PERFORM require_role(team_, 'reader');
  RETURN QUERY SELECT c.project, c.lesson, c.rank, lines_of(team_, c.project, c.lesson) FROM (
    SELECT o.project, o.lesson, max(ts_rank(o.words, asked)) AS rank FROM (
      SELECT * FROM team_case t WHERE t.team = team_ AND t.words @@ asked LIMIT 500
    ) o GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT most_
  ) c ORDER BY c.rank DESC, c.project, c.lesson;
END $$;

-- Vectors are in a table of their own, made once the extension is there. NULL without pgvector 0.7 or newer.
CREATE FUNCTION casebook.vector_schema() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog AS $$
  SELECT n.nspname FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace
  WHERE x.extname = 'vector' AND EXISTS (SELECT FROM pg_type t WHERE t.typnamespace = n.oid AND t.typname = 'halfvec')
$$;

-- The table, and the index of one embedder of a team. An index is made while it is empty, so that nobody waits for it.
CREATE FUNCTION casebook.make_vectors(team_ text, embedder_ text, dim_ integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
DECLARE
  place text := vector_schema();
  name_ text := 'team_vector_' || encode(substr(sha256(convert_to(team_ || ' ' || embedder_, 'UTF8')), 1, 8), 'hex');
BEGIN
  PERFORM require_role(team_, 'member');
  PERFORM pg_advisory_xact_lock(x'63617365'::int);
  IF to_regclass('casebook.team_vector') IS NULL THEN
    EXECUTE format('CREATE TABLE team_vector (team text NOT NULL, payload bytea NOT NULL, embedder text'
      ' NOT NULL CHECK (length(embedder) <= 200), vector %I.halfvec NOT NULL, PRIMARY KEY (team, embedder, payload),'
      ' FOREIGN KEY (team, payload) REFERENCES team_case ON DELETE CASCADE)', place);
    CREATE INDEX team_vector_payload ON team_vector (team, payload);
    ALTER TABLE team_vector ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own_team ON team_vector FOR SELECT USING (team IN (SELECT h.team FROM team_head h));
    EXECUTE (
      SELECT string_agg(format('GRANT SELECT ON team_vector TO %I', 'casebook_' || team || '_reader'), ';') FROM team_head
    );
  END IF;
  IF to_regclass(format('casebook.%I', name_)) IS NULL THEN
    EXECUTE format('CREATE INDEX %I ON team_vector USING hnsw ((vector::%I.halfvec(%s)) %I.halfvec_cosine_ops)'
      ' WHERE team = %L AND embedder = %L', name_, place, dim_, place, team_, embedder_);
  END IF;
END $$;

CREATE FUNCTION casebook.put_vectors(team_ text, embedder_ text, payloads bytea[], vectors text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
BEGIN
  PERFORM require_role(team_, 'member');
  EXECUTE format('INSERT INTO team_vector (team, embedder, payload, vector) SELECT $1, $2, one.payload,'
    ' one.vector::%I.halfvec FROM unnest($3, $4) AS one (payload, vector)'
    ' JOIN team_case c ON c.team = $1 AND c.payload = one.payload ON CONFLICT DO NOTHING', vector_schema())
    USING team_, embedder_, payloads, vectors;
END $$;

CREATE FUNCTION casebook.find_vector(team_ text, embedder_ text, dim_ integer, vector_ text, most_ integer)
RETURNS TABLE (project text, lesson text, score real, lines text[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = casebook, pg_temp
SET enable_seqscan = off SET enable_sort = off AS $$
DECLARE
  place text := vector_schema();
BEGIN
  PERFORM require_role(team_, 'reader');
  IF place IS NULL OR to_regclass('casebook.team_vector') IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY EXECUTE format('SELECT c.project, c.lesson, (1 - v.distance)::real,'
    ' lines_of(c.team, c.project, c.lesson) FROM (SELECT payload, vector::%1$I.halfvec(%2$s) OPERATOR(%1$I.<=>)'
    ' %3$L::%1$I.halfvec(%2$s) AS distance FROM team_vector WHERE team = %4$L AND embedder = %5$L ORDER BY 2 LIMIT %6$s)'
    ' v JOIN team_case c ON c.team = %4$L AND c.payload = v.payload ORDER BY v.distance',
    place, dim_, vector_, team_, embedder_, most_);
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA casebook FROM PUBLIC;
ALTER TABLE casebook.team_case ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON casebook.team_case FOR SELECT USING (team IN (SELECT h.team FROM casebook.team_head h));

-- What the roles of a team may do with all of this.
CREATE FUNCTION casebook.grant_cases(team_ text) RETURNS void LANGUAGE plpgsql SET search_path = casebook, pg_temp AS $$
BEGIN
  EXECUTE format('GRANT SELECT ON team_case TO %I', 'casebook_' || team_ || '_reader');
  EXECUTE format('GRANT EXECUTE ON FUNCTION require_role, vector_schema, find_marks, find_words, find_vector TO %I',
    'casebook_' || team_ || '_reader');
  EXECUTE format('GRANT EXECUTE ON FUNCTION index_events, make_vectors, put_vectors TO %I',
    'casebook_' || team_ || '_member');
  IF to_regclass('casebook.team_vector') IS NOT NULL THEN
    EXECUTE format('GRANT SELECT ON team_vector TO %I', 'casebook_' || team_ || '_reader');
  END IF;
END $$;
REVOKE ALL ON FUNCTION casebook.grant_cases FROM PUBLIC;
SELECT casebook.grant_cases(team) FROM casebook.team_head;
