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
];
