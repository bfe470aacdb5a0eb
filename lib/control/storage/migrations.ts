/**
 * The schema, as numbered steps that never change once released: further changes are new steps at the end. Times are milliseconds
 * since the epoch, days are UTC as YYYY-MM-DD.
 */
import type Database from 'better-sqlite3';
import { AppError } from '../../base/errors.ts';
import { NEWER_MIGRATIONS } from './newer-migrations.ts';

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    max_projects INTEGER,          -- NULL: unlimited
    max_events_per_month INTEGER   -- NULL: unlimited
  ) STRICT;

  CREATE TABLE projects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    retention_days INTEGER,        -- NULL: for ever
    ip_policy TEXT NOT NULL CHECK (ip_policy IN ('full', 'anonymized', 'none')),
    timezone TEXT NOT NULL
  ) STRICT;
  CREATE INDEX projects_of_org ON projects (org_id, created_at);

  -- What is left of a deleted project: enough to bill what it stored, and to finish a deletion that a crash cut short.
  CREATE TABLE deleted_projects (
    id TEXT PRIMARY KEY,
    org_id TEXT NOT NULL REFERENCES organizations (id),
    deleted_at INTEGER NOT NULL,
    purged_at INTEGER              -- NULL: its events may still be on disk
  ) STRICT;
  CREATE INDEX deleted_projects_of_org ON deleted_projects (org_id);

  CREATE VIEW all_projects AS
    SELECT id, org_id, 0 AS deleted FROM projects UNION ALL SELECT id, org_id, 1 FROM deleted_projects;

  -- pk_ and sk_ of projects, ak_ of organizations. A key with expires_at is a rotated one in its grace.
  CREATE TABLE keys (
    hash BLOB PRIMARY KEY,         -- SHA-256 of the key
    kind TEXT NOT NULL CHECK (kind IN ('public', 'secret', 'org_admin')),
    project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
    org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
    plain TEXT,                    -- public keys
    sealed BLOB,                   -- secret keys, encrypted
    expires_at INTEGER,
    CHECK ((kind = 'org_admin') = (org_id IS NOT NULL) AND (kind = 'org_admin') = (project_id IS NULL)),
    CHECK ((kind = 'public') = (plain IS NOT NULL) AND (kind = 'secret') = (sealed IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX current_key_of_project ON keys (project_id, kind) WHERE expires_at IS NULL AND project_id IS NOT NULL;
  CREATE UNIQUE INDEX current_key_of_org ON keys (org_id, kind) WHERE expires_at IS NULL AND org_id IS NOT NULL;
  CREATE INDEX keys_of_project ON keys (project_id);

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,     -- SHA-256 of the token
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    scopes TEXT NOT NULL,          -- separated by commas
    expires_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    created_by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX tokens_of_project ON tokens (project_id, created_at);

  -- No foreign key: the usage of a deleted project stays.
  CREATE TABLE usage (
    project_id TEXT NOT NULL,
    date TEXT NOT NULL,
    events_ingested INTEGER NOT NULL DEFAULT 0,
    events_stored INTEGER NOT NULL DEFAULT 0,
    events_rejected INTEGER NOT NULL DEFAULT 0,
    events_duplicate INTEGER NOT NULL DEFAULT 0,
    events_dropped INTEGER NOT NULL DEFAULT 0,
    values_trimmed INTEGER NOT NULL DEFAULT 0,
    ids_ignored INTEGER NOT NULL DEFAULT 0,
    queries_run INTEGER NOT NULL DEFAULT 0,
    query_ms REAL NOT NULL DEFAULT 0,
    bytes_stored INTEGER,          -- NULL: as the day before
    PRIMARY KEY (project_id, date)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    org_id TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    target TEXT NOT NULL,
    ip TEXT
  ) STRICT;
  CREATE INDEX audit_of_org ON audit (org_id, id);
  CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
  CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
  `,
  `
  -- People. An address is in lower case, and proven: by a provider that says so, or by the operator who made a link for it.
  -- It is not unique: accounts are known by their identities, and two issuers may know the same address.
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    email TEXT,
    name TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX accounts_of_email ON accounts (email, created_at);

  CREATE TABLE identities (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX identities_of_account ON identities (account_id);

  CREATE TABLE members (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (org_id, account_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX members_of_account ON members (account_id, joined_at);

  -- Addresses that join with their first login. The row goes when they do.
  CREATE TABLE invitations (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    invited_at INTEGER NOT NULL,
    PRIMARY KEY (org_id, email)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX invitations_of_email ON invitations (email, invited_at);

  CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,         -- SHA-256 of the id in the cookie
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL       -- to the hour
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_of_account ON sessions (account_id, used_at);
  CREATE INDEX sessions_by_use ON sessions (used_at);

  -- Links that log in once; the row goes when they are used. org_id: what the account is made a member of.
  CREATE TABLE login_links (
    hash BLOB PRIMARY KEY,         -- SHA-256 of the token in the link
    email TEXT NOT NULL,
    org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
    role TEXT CHECK (role IN ('member', 'admin', 'owner')),
    expires_at INTEGER NOT NULL,
    CHECK ((org_id IS NULL) = (role IS NULL))
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The share of an organization among others, and who made it; created_by is NULL for the operator and for first logins.
  ALTER TABLE organizations ADD COLUMN weight INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE organizations ADD COLUMN created_by TEXT;
  CREATE INDEX organizations_of_creator ON organizations (created_by) WHERE created_by IS NOT NULL;
  `,
  `
  -- The role viewer. A check cannot be changed: the tables are made anew.
  CREATE TABLE new_members (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    joined_at INTEGER NOT NULL,
    PRIMARY KEY (org_id, account_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_members SELECT org_id, account_id, role, joined_at FROM members;
  DROP TABLE members;
  ALTER TABLE new_members RENAME TO members;
  CREATE INDEX members_of_account ON members (account_id, joined_at);

  CREATE TABLE new_invitations (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    email TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    invited_at INTEGER NOT NULL,
    PRIMARY KEY (org_id, email)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_invitations SELECT org_id, email, role, invited_at FROM invitations;
  DROP TABLE invitations;
  ALTER TABLE new_invitations RENAME TO invitations;
  CREATE INDEX invitations_of_email ON invitations (email, invited_at);

  CREATE TABLE new_login_links (
    hash BLOB PRIMARY KEY,         -- SHA-256 of the token in the link
    email TEXT NOT NULL,
    org_id TEXT REFERENCES organizations (id) ON DELETE CASCADE,
    role TEXT CHECK (role IN ('viewer', 'member', 'admin', 'owner')),
    expires_at INTEGER NOT NULL,
    CHECK ((org_id IS NULL) = (role IS NULL))
  ) STRICT, WITHOUT ROWID;
  INSERT INTO new_login_links SELECT hash, email, org_id, role, expires_at FROM login_links;
  DROP TABLE login_links;
  ALTER TABLE new_login_links RENAME TO login_links;

  -- Sessions that their account can tell apart. Those of before end: their cookies were signed with SHA-1.
  DROP TABLE sessions;
  CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,         -- SHA-256 of the secret in the cookie
    id TEXT NOT NULL UNIQUE,       -- names it in lists
    account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,      -- to the hour
    ip TEXT,
    user_agent TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sessions_of_account ON sessions (account_id, used_at);
  CREATE INDEX sessions_by_use ON sessions (used_at);
  CREATE INDEX sessions_by_age ON sessions (created_at);
  `,
  `
  -- What the operator has switched off of a project, and why.
  CREATE TABLE IF NOT EXISTS suspensions (
    project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    what TEXT NOT NULL CHECK (what IN ('ingest', 'queries', 'all')),
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Their rows in organizations stay, as their bills name them.
  CREATE TABLE IF NOT EXISTS deleted_organizations (
    id TEXT PRIMARY KEY REFERENCES organizations (id),
    deleted_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Dashboards of projects, and of single members.
  CREATE TABLE IF NOT EXISTS dashboards (
    key INTEGER PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    owner TEXT REFERENCES accounts (id) ON DELETE CASCADE,  -- who alone sees it; NULL: everybody in the project
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    place INTEGER,                                          -- in lists, lower first
    version INTEGER NOT NULL                                -- the newest
  ) STRICT;
  CREATE UNIQUE INDEX IF NOT EXISTS dashboards_by_id ON dashboards (project_id, id, coalesce(owner, ''));
  CREATE INDEX IF NOT EXISTS dashboards_of_owner ON dashboards (owner);

  CREATE TABLE IF NOT EXISTS dashboard_versions (
    dashboard INTEGER NOT NULL REFERENCES dashboards (key) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    yaml TEXT NOT NULL,            -- as it was written
    checked TEXT NOT NULL,         -- JSON, as it was read
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    PRIMARY KEY (dashboard, version)
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS dashboard_versions_are_never_changed BEFORE UPDATE ON dashboard_versions
  BEGIN SELECT RAISE(ABORT, 'versions of dashboards are never changed'); END;

  -- Who leaves an organization leaves no dashboards of their own.
  CREATE TRIGGER IF NOT EXISTS members_take_their_dashboards AFTER DELETE ON members BEGIN
    DELETE FROM dashboards WHERE owner = OLD.account_id AND project_id IN (SELECT id FROM projects WHERE org_id = OLD.org_id);
  END;
  `,
  `
  -- Folders that backups were made to: each has a copy of the log of erasures.
  CREATE TABLE IF NOT EXISTS backup_targets (
    data TEXT NOT NULL,            -- path of the data folder
    path TEXT NOT NULL,
    synced INTEGER NOT NULL,       -- bytes of the log that are there
    PRIMARY KEY (data, path)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Shards that lie ready to take the place of others. The row goes when somebody has read what became of it.
  CREATE TABLE IF NOT EXISTS replacements (
    project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    force INTEGER NOT NULL,
    told TEXT                      -- JSON of an error, 'null' when it is done; NULL: it is not
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Answers to requests with a key of their sender, who may send them again without knowing the answer. They may hold keys.
  CREATE TABLE IF NOT EXISTS idempotent_answers (
    org_id TEXT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    key BLOB NOT NULL,             -- SHA-256
    request BLOB NOT NULL,         -- SHA-256
    status INTEGER NOT NULL,
    sealed BLOB NOT NULL,          -- the body, encrypted
    at INTEGER NOT NULL,
    PRIMARY KEY (org_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS idempotent_answers_by_age ON idempotent_answers (at);
  `,
  `
  -- Messages for the receiver of the host, and what came of them.
  CREATE TABLE IF NOT EXISTS webhook_messages (
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    due_at INTEGER,                -- NULL: it is at its end
    delivered INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0,
    tried_at INTEGER,
    answer TEXT
  ) STRICT;
  CREATE INDEX IF NOT EXISTS webhook_messages_due ON webhook_messages (due_at) WHERE due_at IS NOT NULL;
  -- What is told once: a limit that was reached, damage that was found.
  CREATE TABLE IF NOT EXISTS webhook_told (what TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- An organization switches its projects off too, and lifts nothing that the operator has.
  CREATE TABLE all_suspensions (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    suspender TEXT NOT NULL CHECK (suspender IN ('operator', 'organization')),
    what TEXT NOT NULL CHECK (what IN ('ingest', 'queries', 'all')),
    reason TEXT NOT NULL,
    PRIMARY KEY (project_id, suspender)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO all_suspensions SELECT project_id, 'operator', what, reason FROM suspensions;
  DROP TABLE suspensions;
  ALTER TABLE all_suspensions RENAME TO suspensions;
  `,
  `
  -- Logins that providers have answered, until nobody can use them again.
  CREATE TABLE IF NOT EXISTS used_logins (
    state BLOB PRIMARY KEY,        -- SHA-256
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Which node adds events to a project, where several have one store.
  CREATE TABLE IF NOT EXISTS ingest_turns (
    project_id TEXT PRIMARY KEY,   -- stays when the project is deleted: its events are removed in a turn, after it
    next_arrival INTEGER NOT NULL,
    holder TEXT,                   -- null: nobody
    held_until INTEGER NOT NULL    -- by the clock of the database
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What tells devices apart that store nothing, where nodes share it: of today only.
  CREATE TABLE IF NOT EXISTS daily_salts (
    day TEXT PRIMARY KEY,
    sealed BLOB NOT NULL           -- encrypted
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What is to be erased again after a restore, where nodes share a control database.
  CREATE TABLE IF NOT EXISTS erased_users (
    project_id TEXT NOT NULL,
    user_hash TEXT NOT NULL,
    devices TEXT NOT NULL,         -- JSON: hashes
    up_to INTEGER NOT NULL,        -- arrival number
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS erased_users_of_project ON erased_users (project_id);
  `,
  `
  -- The account that made a token, whatever its address becomes; NULL: none did. Of tokens made before, the one account with the
  -- name in created_by that was a member already; where two were, nobody can tell which.
  ALTER TABLE tokens ADD COLUMN account_id TEXT REFERENCES accounts (id) ON DELETE SET NULL;
  CREATE INDEX tokens_of_account ON tokens (account_id) WHERE account_id IS NOT NULL;
  UPDATE tokens SET account_id = (
    SELECT min(accounts.id) FROM projects JOIN members ON members.org_id = projects.org_id
    JOIN accounts ON accounts.id = members.account_id
    WHERE projects.id = tokens.project_id AND members.joined_at <= tokens.created_at
      AND tokens.created_by IN (accounts.email, accounts.id)
    HAVING count(*) = 1
  );
  `,
  ...NEWER_MIGRATIONS,
];

/** Of a database written by this release. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** Brings the schema up to date in one transaction. Refuses a database written by a newer release. */
export function migrate(db: Database.Database): void {
  const pending = db.transaction(() => {
    const version = Number(db.pragma('user_version', { simple: true }));
    if (version > MIGRATIONS.length) {
      throw new AppError('storage_unavailable', 'the control database was written by a newer release of Windlass', {
        hints: ['start the release that wrote it, or restore a backup made by this one'],
      });
    }
    for (const step of MIGRATIONS.slice(version)) db.exec(step);
    if (version < MIGRATIONS.length) db.pragma(`user_version = ${MIGRATIONS.length}`);
  });
  pending.immediate();
}
