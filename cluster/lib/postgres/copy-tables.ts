/** Fills the tables of a control database in PostgreSQL with those of a file. */
import { AppError, type ControlConnection, type Queries, sql, type ControlTables } from '../../../lib/seam.ts';

/** Parents before children, with what orders their rows: `rowid`, as they came. What belongs to a data folder stays there. */
const COPIED = {
  accounts: ['rowid'],
  organizations: ['rowid'],
  deleted_organizations: ['id'],
  projects: ['rowid'],
  deleted_projects: ['rowid'],
  keys: ['hash'],
  tokens: ['rowid'],
  usage: ['project_id', 'date'],
  audit: ['rowid'],
  identities: ['issuer', 'subject'],
  members: ['org_id', 'account_id'],
  invitations: ['org_id', 'email'],
  sessions: ['hash'],
  session_visits: ['session_id', 'org_id'],
  login_links: ['hash'],
  used_logins: ['state'],
  suspensions: ['project_id', 'suspender'],
  retention_changes: ['project_id', 'begun'],
  dashboards: ['rowid'],
  dashboard_versions: ['rowid'],
  cohorts: ['project_id', 'name'],
  cohort_versions: ['project_id', 'name', 'version'],
  alerts: ['project_id', 'id'],
  alert_versions: ['project_id', 'id', 'version'],
  alert_runs: ['project_id', 'id', 'number'],
  questions: ['project_id', 'name'],
  question_versions: ['project_id', 'name', 'version'],
  annotations: ['id'],
  operator_keys: ['rowid'],
  idempotent_answers: ['owner', 'key'],
  webhook_messages: ['rowid'],
  webhook_told: ['what'],
} as const satisfies Partial<Record<keyof ControlTables, readonly string[]>>;

/** Columns that PostgreSQL numbers by itself; their numbers are kept. */
const NUMBERED = [['audit', 'id'], ['dashboards', 'key']] as const; // prettier-ignore

/** Name in `meta` of the last entry of the audit trail that was copied. */
const COPIED_TO = 'copied_to';
const PAGE = 500;

type Row = Readonly<Record<string, unknown>>;

/**
 * Copies everything at once or nothing. False: it was done before, and nothing has been changed here since. Throws AppError
 * `conflict` if the target has been filled otherwise. Nobody else may change either meanwhile.
 */
export async function copyTables(from: ControlConnection, to: ControlConnection): Promise<boolean> {
  const last = await from.db.selectFrom('audit').select(({ fn }) => fn.max('id').as('id')).executeTakeFirstOrThrow(); // prettier-ignore
  const until = last.id ?? 0;
  return to.write(async () => {
    const copied = await to.noted(COPIED_TO);
    if (copied === until) return false;
    const known = await to.db.selectFrom('organizations').select('id').limit(1).executeTakeFirst();
    if (copied !== null || known !== undefined)
      throw new AppError('conflict', 'the database that WINDLASS_CONTROL names is in use already', {
        hints: ['name an empty one, or an empty schema: it is filled before the first node starts'],
      });
    for (const [table, order] of Object.entries(COPIED)) await copyTable(from.db, to.db, { table, order });
    for (const [table, column] of NUMBERED) {
      const top = sql`(SELECT max(${sql.ref(column)}) FROM ${sql.table(table)})`;
      await sql`SELECT setval(pg_get_serial_sequence(${table}, ${column}), coalesce(${top}, 1), ${top} IS NOT NULL)`.execute(to.db); // prettier-ignore
    }
    await to.note(COPIED_TO, until);
    return true;
  });
}

interface Ordered {
  readonly table: string;
  readonly order: readonly string[];
}

async function copyTable(from: Queries, to: Queries, of: Ordered): Promise<void> {
  for (let rows = await page(from, of, null); rows.length > 0; rows = await page(from, of, rows[rows.length - 1]!))
    await insert(to, of.table, of.order[0] === 'rowid' ? rows.map(withoutNumber) : rows);
}

const withoutNumber = ({ rowid: _number, ...row }: Row): Row => row;

/** The next rows; `last`: the row before them, null at the start. */
async function page(from: Queries, { table, order }: Ordered, last: Row | null): Promise<readonly Row[]> {
  const columns = sql.join(order.map((column) => sql.ref(column)));
  const all = order[0] === 'rowid' ? sql`rowid, *` : sql`*`;
  const behind = last === null ? sql`` : sql`WHERE (${columns}) > (${sql.join(order.map((column) => last[column]))})`;
  const { rows } = await sql<Row>`SELECT ${all} FROM ${sql.table(table)} ${behind} ORDER BY ${columns} LIMIT ${sql.lit(PAGE)}`.execute(from); // prettier-ignore
  return rows;
}

async function insert(to: Queries, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0]!);
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`INSERT INTO ${sql.table(table)} (${names}) OVERRIDING SYSTEM VALUE VALUES ${sql.join(values)}`.execute(to);
}
