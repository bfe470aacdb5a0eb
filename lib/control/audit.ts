import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import { readJson } from '../base/text/read-json.ts';
import { type ControlConnection, hasText, MAX_PAGE } from './storage/connection.ts';
import type { Actor, AuditAction, AuditEntry, Changes } from './types.ts';

export interface AuditFilter {
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number;
  /** Part of who did it, in any case. */
  readonly actor?: string;
  /** Any of these. */
  readonly actions?: readonly AuditAction[];
  /** 1 to 1,000; default: 100. */
  readonly limit?: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** null: this was the last page. */
  readonly nextCursor: string | null;
}

/** An entry as recorded. */
export interface Audited extends Omit<AuditEntry, 'id'> {
  readonly orgId: string;
}

/** The audit trail: append-only, which triggers of the database enforce too. */
export class Audit {
  readonly #connection: ControlConnection;
  readonly #onAudit: ((entry: Audited) => void) | undefined;

  /** `onAudit` gets each entry once it is on disk. */
  constructor(connection: ControlConnection, onAudit?: (entry: Audited) => void) {
    this.#connection = connection;
    this.#onAudit = onAudit;
  }

  /** Call inside the transaction of what is audited. */
  append(orgId: string, action: AuditAction, target: string, by: Actor): Promise<void> {
    return this.#append({
      orgId,
      at: this.#connection.now(),
      actor: by.name,
      action,
      target,
      ip: by.ip,
      changes: null,
    });
  }

  /** The same for an update of these fields; one that changes none is not recorded. */
  async appendChanges(of: Pick<Audited, 'orgId' | 'action' | 'target' | 'changes'>, by: Actor): Promise<void> {
    const differing = Object.entries(of.changes ?? {}).filter(([, { from, to }]) => from !== to);
    if (differing.length === 0) return;
    const changes = Object.fromEntries(differing);
    await this.#append({ ...of, at: this.#connection.now(), actor: by.name, ip: by.ip, changes });
  }

  async #append(audited: Audited): Promise<void> {
    const { orgId: org_id, changes, ...entry } = audited;
    const row = { org_id, ...entry, changes: changes === null ? null : JSON.stringify(changes) };
    await this.#connection.db.insertInto('audit').values(row).execute();
    this.#connection.afterCommit(() => this.#onAudit?.(audited));
  }

  /** Newest first. An invalid cursor gives an empty page. */
  async page(orgId: string, filter: AuditFilter = {}): Promise<AuditPage> {
    const limit = Math.min(Math.max(filter.limit ?? 100, 1), MAX_PAGE);
    const before = filter.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(filter.cursor);
    if (!Number.isSafeInteger(before)) return { entries: [], nextCursor: null };
    const rows = await this.#newest(orgId, { ...filter, before, most: limit + 1 });
    const entries = rows.slice(0, limit).map(entryOf);
    return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
  }

  /** All that a filter asks for, newest first, a page at a time. Throws AppError `bad_request` if there are too many to hold. */
  async *pages(orgId: string, filter: Omit<AuditFilter, 'limit' | 'cursor'>): AsyncGenerator<readonly AuditEntry[]> {
    let told = 0;
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: AuditPage = await this.page(orgId, { ...filter, limit: MAX_PAGE, ...(cursor !== '' && { cursor }) });
      told += page.entries.length;
      if (told > MOST_AT_ONCE) throw tooMany();
      yield page.entries;
      cursor = page.nextCursor;
    }
  }

  /** At most so many entries before an id, newest first. In steps, with a turn of the event loop for others after each. */
  async #newest(orgId: string, { before, most, ...filter }: Search): Promise<AuditRow[]> {
    const { db } = this.#connection;
    const asked = conditionOf(filter);
    const own = db.selectFrom('audit').where('org_id', '=', orgId).orderBy('id', 'desc');
    const rows: AuditRow[] = [];
    let size = most; // enough where everything is asked for
    for (let last = before; rows.length < most;) {
      const step = own.select(['id', 'at', 'actor', 'action']).where('id', '<', last).limit(size).as('step');
      const within = sql<number>`count(CASE WHEN ${asked} THEN 1 END)`.as('within');
      const searched = db
        .selectFrom(step)
        .select(({ fn }) => [fn.min('id').as('first'), fn.countAll<number>().as('all')]);
      const found = await searched.select(within).executeTakeFirstOrThrow();
      if (found.within > 0) {
        const inStep = own.where('id', '<', last).where('id', '>=', found.first).where(asked);
        const some = inStep
          .select(['id', 'at', 'actor', 'action', 'target', 'ip', 'changes'])
          .limit(most - rows.length);
        rows.push(...(await some.execute()));
      }
      if (found.all < size) break;
      // Entries searched at once for those that are asked for: some milliseconds. Nobody bounds how many an organization has.
      [last, size] = [found.first, 5_000];
      await setImmediate();
    }
    return rows;
  }
}

/** Entries of one answer: some twenty megabytes. */
const MOST_AT_ONCE = 100_000;

function tooMany(): AppError {
  return new AppError('bad_request', `There are more than ${MOST_AT_ONCE.toLocaleString('en')} such entries.`, {
    hints: ['Ask for a shorter time: `from` and `to`.'],
  });
}

type Asked = Pick<AuditFilter, 'from' | 'to' | 'actor' | 'actions'>;

interface Search extends Asked {
  readonly before: number;
  readonly most: number;
}

function conditionOf({ from = 0, to = Number.MAX_SAFE_INTEGER, actor = '', actions }: Asked): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`at >= ${from}`, sql<SqlBool>`at < ${to}`];
  if (actor !== '') parts.push(hasText('actor', actor));
  if (actions !== undefined) parts.push(sql<SqlBool>`action IN (${sql.join([...actions])})`);
  return sql.join<SqlBool>(parts, sql` AND `);
}

type AuditRow = Omit<AuditEntry, 'id' | 'changes'> & { readonly id: number; readonly changes: string | null };

function entryOf({ id, changes, ...row }: AuditRow): AuditEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `append` has written
  return { ...row, id: String(id), changes: changes === null ? null : (readJson(changes) as Changes) };
}
