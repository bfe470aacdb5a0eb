/** The newest steps of the schema, at the end of those in migrations.ts: what is said there holds for them, too. */
export const NEWER_MIGRATIONS: readonly string[] = [
  `
  -- What an update has changed, as JSON: {"name": {"from": "Shop", "to": "Web shop"}}; NULL: it was no update.
  ALTER TABLE audit ADD COLUMN changes TEXT;
  `,
  `
  -- The address that a login has proven, and in which organizations a session has done something: those know of the login.
  ALTER TABLE sessions ADD COLUMN email TEXT;
  UPDATE sessions SET email = (SELECT email FROM accounts WHERE accounts.id = sessions.account_id);
  CREATE TABLE session_visits (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, org_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO session_visits SELECT sessions.id, members.org_id FROM sessions
    JOIN members ON members.account_id = sessions.account_id;
  `,
  `
  -- What the operator has switched off of all projects of an organization, and why; NULL: nothing.
  ALTER TABLE organizations ADD COLUMN suspended TEXT CHECK (suspended IN ('ingest', 'queries', 'all'));
  ALTER TABLE organizations ADD COLUMN suspended_because TEXT;
  `,
  `
  -- A shorter retention that removes stored events: the one that is to begin, and the last one that has.
  CREATE TABLE retention_changes (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    begun INTEGER NOT NULL,        -- 0 or 1
    retention_days INTEGER NOT NULL,
    begins_at INTEGER NOT NULL,
    events INTEGER NOT NULL,       -- older ones, when it was asked for
    PRIMARY KEY (project_id, begun)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX retention_changes_due ON retention_changes (begins_at) WHERE begun = 0;
  `,
  `
  ALTER TABLE usage ADD COLUMN times_replaced INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage ADD COLUMN fields_ignored INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- The day on which weeks of answers begin.
  ALTER TABLE projects ADD COLUMN week_start TEXT NOT NULL DEFAULT 'monday' CHECK (week_start IN ('monday', 'sunday'));
  `,
  `
  -- Tokens that see no personal data, what a project names so (a JSON list), and the key that hashes ids for them (encrypted; NULL:
  -- there has been no such token yet).
  ALTER TABLE tokens ADD COLUMN personal INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE projects ADD COLUMN personal_properties TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE projects ADD COLUMN hash_key BLOB;
  `,
  `
  -- Saved conditions on persons, which queries name.
  CREATE TABLE cohorts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,      -- the newest
    PRIMARY KEY (project_id, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE cohort_versions (
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    condition TEXT NOT NULL,       -- as it was written
    description TEXT,
    uses TEXT NOT NULL,            -- JSON, the names of the cohorts in the condition
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (project_id, name, version),
    FOREIGN KEY (project_id, name) REFERENCES cohorts (project_id, name) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Events that a project alone may store in a month; NULL: what its organization may.
  ALTER TABLE projects ADD COLUMN max_events_per_month INTEGER;
  `,
  `
  -- Keys of the operator API.
  CREATE TABLE operator_keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE,     -- SHA-256
    prefix TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT;

  -- Who asks may be an operator key, too, which belongs to no organization. A reference cannot be dropped: the table is made anew.
  CREATE TABLE new_idempotent_answers (
    owner TEXT NOT NULL,           -- the organization, or the operator key
    key BLOB NOT NULL,             -- SHA-256
    request BLOB NOT NULL,         -- SHA-256
    status INTEGER NOT NULL,
    sealed BLOB NOT NULL,          -- the body, encrypted
    at INTEGER NOT NULL,
    PRIMARY KEY (owner, key)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_idempotent_answers SELECT org_id, key, request, status, sealed, at FROM idempotent_answers;
  DROP TABLE idempotent_answers;
  ALTER TABLE new_idempotent_answers RENAME TO idempotent_answers;
  CREATE INDEX idempotent_answers_by_age ON idempotent_answers (at);
  `,
  `
  -- Whether answers have the events of bots; those of projects that were there before go on having them.
  ALTER TABLE projects ADD COLUMN bots TEXT NOT NULL DEFAULT 'keep' CHECK (bots IN ('keep', 'leave out'));
  `,
  `
  -- Queries with names, which everybody in a project sees.
  CREATE TABLE questions (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,      -- the newest
    PRIMARY KEY (project_id, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE question_versions (
    project_id TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    query TEXT NOT NULL,           -- as it was written
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (project_id, name, version),
    FOREIGN KEY (project_id, name) REFERENCES questions (project_id, name) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Questions that ask themselves, what they have seen, and whom it is still to be told.
  CREATE TABLE alerts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    version INTEGER NOT NULL,      -- the newest
    state TEXT NOT NULL CHECK (state IN ('ok', 'firing', 'broken')),
    since INTEGER NOT NULL,
    next_at INTEGER,               -- when it asks, or until when somebody has taken it to ask; NULL: never
    PRIMARY KEY (project_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alerts_due ON alerts (next_at) WHERE next_at IS NOT NULL;

  CREATE TABLE alert_versions (
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    yaml TEXT NOT NULL,            -- as it was written
    checked TEXT NOT NULL,         -- JSON, as it was read
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (project_id, id, version),
    FOREIGN KEY (project_id, id) REFERENCES alerts (project_id, id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE alert_runs (
    project_id TEXT NOT NULL,
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    saw TEXT NOT NULL,
    notice TEXT,                   -- JSON, what is still to be told; NULL: nothing
    told TEXT NOT NULL,            -- JSON, to whom, and what came of it
    due_at INTEGER,                -- when, or until when somebody has taken it to tell; NULL: it is at its end
    tries INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, id, number),
    FOREIGN KEY (project_id, id) REFERENCES alerts (project_id, id) ON DELETE CASCADE
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX alert_runs_due ON alert_runs (due_at) WHERE due_at IS NOT NULL;
  `,
  `
  -- What happened when, for the charts of a project's dashboards.
  CREATE TABLE annotations (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX annotations_of_project ON annotations (project_id, at);
  `,
  `
  -- How often people were erased since: what an alert has asked before that may name them.
  ALTER TABLE alerts ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
  `,
];
