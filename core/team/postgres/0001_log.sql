-- The log of a team: one row for each decision, in the order of `seq`, each with the hash of the row before.
-- Texts are in `team_payload`, by hash: a withdrawal deletes them, the row of the log stays.
-- Only `append` and `raise_epoch` write. They set who wrote a row (`session_user`), when, its number and its hash.
CREATE SCHEMA casebook;
REVOKE ALL ON SCHEMA casebook FROM PUBLIC;

CREATE TABLE casebook.team_schema (
  number integer PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);

-- `seq` and `hash` of the newest event; `epoch` rises when the log lost events that a casebook had read.
CREATE TABLE casebook.team_head (
  team text PRIMARY KEY CHECK (team ~ '^[a-z][a-z0-9_]{0,30}$'),
  seq bigint NOT NULL DEFAULT 0,
  epoch integer NOT NULL DEFAULT 1,
  hash bytea NOT NULL DEFAULT ''
);

-- `time`: when the lesson was shared or withdrawn. `payload`: the hash of the text, which may be gone.
CREATE TABLE casebook.team_event (
  team text NOT NULL REFERENCES casebook.team_head,
  seq bigint NOT NULL,
  epoch integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,32}$'),
  actor text NOT NULL,
  machine text NOT NULL CHECK (length(machine) <= 64),
  project text NOT NULL CHECK (length(project) BETWEEN 1 AND 1000),
  lesson text NOT NULL CHECK (lesson ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  "time" text NOT NULL CHECK ("time" ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$'),
  payload bytea NOT NULL,
  at timestamptz NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (team, seq),
  UNIQUE (team, id)
);
CREATE INDEX team_event_lesson ON casebook.team_event (team, project, lesson, seq);

CREATE TABLE casebook.team_payload (
  team text NOT NULL REFERENCES casebook.team_head,
  hash bytea NOT NULL,
  body text NOT NULL CHECK (octet_length(body) <= 1 << 20),
  PRIMARY KEY (team, hash)
);

CREATE FUNCTION casebook.refuse_rewrite() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log of a team only grows';
END $$;
CREATE TRIGGER team_event_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON casebook.team_event
  FOR EACH STATEMENT EXECUTE FUNCTION casebook.refuse_rewrite();

-- Whether the login has this role of the team, itself or by another role.
CREATE FUNCTION casebook.has_team_role(team_ text, role_ text) RETURNS boolean LANGUAGE sql STABLE
SET search_path = pg_catalog AS $$
  SELECT EXISTS (
    SELECT FROM pg_roles WHERE rolname = 'casebook_' || team_ || '_' || role_ AND pg_has_role(session_user, oid, 'MEMBER')
  )
$$;

-- The text form of the time that a hash covers.
CREATE FUNCTION casebook.time_text(at_ timestamptz) RETURNS text LANGUAGE sql STABLE
SET search_path = pg_catalog AS $$
  SELECT to_char(at_ AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
$$;

-- SHA-256 of the hash of the row before and of each field with its length.
CREATE FUNCTION casebook.event_hash(before_ bytea, VARIADIC fields text[]) RETURNS bytea LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog AS $$
  SELECT sha256(before_ || convert_to(string_agg(octet_length(convert_to(field, 'UTF8')) || ':' || field, '' ORDER BY n),
    'UTF8')) FROM unnest(fields) WITH ORDINALITY AS one (field, n)
$$;

-- Append events in one transaction. An id that is there already is skipped, so sending twice does no harm.
CREATE FUNCTION casebook.append(
  team_ text, machine_ text, ids uuid[], kinds text[], projects text[], lessons text[], times text[], bodies text[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
DECLARE
  head team_head;
  began bigint;
  payload_ bytea;
  now_ timestamptz;
BEGIN
  IF NOT has_team_role(team_, 'member') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s is not a member of team %s', session_user, team_);
  END IF;
  SELECT * INTO STRICT head FROM team_head h WHERE h.team = team_ FOR UPDATE;
  began := head.seq;
  FOR n IN 1 .. cardinality(ids) LOOP
    CONTINUE WHEN EXISTS (SELECT FROM team_event e WHERE e.team = team_ AND e.id = ids[n]);
    head.seq := head.seq + 1;
    now_ := clock_timestamp();
    payload_ := sha256(convert_to(projects[n] || E'\n' || bodies[n], 'UTF8'));
    head.hash := event_hash(head.hash, head.seq::text, head.epoch::text, ids[n]::text, kinds[n], session_user::text,
      machine_, projects[n], lessons[n], times[n], encode(payload_, 'hex'), time_text(now_));
    INSERT INTO team_event (team, seq, epoch, id, kind, actor, machine, project, lesson, "time", payload, at, hash)
      VALUES (team_, head.seq, head.epoch, ids[n], kinds[n], session_user, machine_, projects[n], lessons[n], times[n],
              payload_, now_, head.hash);
    IF kinds[n] = 'withdrawal' THEN
      DELETE FROM team_payload p USING team_event e
        WHERE e.team = team_ AND e.project = projects[n] AND e.lesson = lessons[n] AND e.kind <> 'withdrawal'
          AND e."time" <= times[n] AND p.team = team_ AND p.hash = e.payload;
    END IF;
    CONTINUE WHEN kinds[n] <> 'withdrawal' AND EXISTS (
      SELECT FROM team_event e WHERE e.team = team_ AND e.project = projects[n] AND e.lesson = lessons[n]
        AND e.kind = 'withdrawal' AND e."time" >= times[n]
    );
    INSERT INTO team_payload (team, hash, body) VALUES (team_, payload_, bodies[n]) ON CONFLICT DO NOTHING;
  END LOOP;
  IF head.seq > began THEN
    UPDATE team_head h SET seq = head.seq, hash = head.hash WHERE h.team = team_;
    PERFORM pg_notify('casebook_' || team_, head.seq::text);
  END IF;
END $$;

-- Note that the log does not hold an event that a casebook had read: a backup was restored, or rows were rewritten.
CREATE FUNCTION casebook.raise_epoch(team_ text, seq_ bigint, hash_ bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = casebook, pg_temp AS $$
BEGIN
  IF NOT has_team_role(team_, 'member') THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s is not a member of team %s', session_user, team_);
  END IF;
  UPDATE team_head SET epoch = epoch + 1 WHERE team = team_ AND seq_ > 0
    AND NOT EXISTS (SELECT FROM team_event e WHERE e.team = team_ AND e.seq = seq_ AND e.hash = hash_);
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA casebook FROM PUBLIC;

ALTER TABLE casebook.team_head ENABLE ROW LEVEL SECURITY;
ALTER TABLE casebook.team_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE casebook.team_payload ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_team ON casebook.team_head FOR SELECT USING (casebook.has_team_role(team, 'reader'));
CREATE POLICY own_team ON casebook.team_event FOR SELECT USING (team IN (SELECT h.team FROM casebook.team_head h));
CREATE POLICY own_team ON casebook.team_payload FOR SELECT USING (team IN (SELECT h.team FROM casebook.team_head h));
