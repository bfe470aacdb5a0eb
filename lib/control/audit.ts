import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { readJson } from '../base/text/read-json.ts';
import type { ControlConnection } from './storage/connection.ts';
import type { Actor, AuditAction, AuditEntry, Changes } from './types.ts';

export const MAX_AUDIT_PAGE = 1000;

export interface AuditFilter {
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number;
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number;
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
    const limit = Math.min(Math.max(filter.limit ?? 100, 1), MAX_AUDIT_PAGE);
    const before = filter.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(filter.cursor);
    if (!Number.isSafeInteger(before)) return { entries: [], nextCursor: null };
    const rows = await this.#newest(orgId, { ...filter, before, most: limit + 1 });
    const entries = rows.slice(0, limit).map(entryOf);
    return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
  }

  /** At most so many entries before an id, newest first. In steps, with a turn of the event loop for others after each. */
  async #newest(orgId: string, { from = 0, to = Number.MAX_SAFE_INTEGER, before, most }: Search): Promise<AuditRow[]> {
    const { db } = this.#connection;
    const own = db.selectFrom('audit').where('org_id', '=', orgId).orderBy('id', 'desc');
    const rows: AuditRow[] = [];
    let size = most; // enough where no time is asked for
    for (let last = before; rows.length < most;) {
      const step = own.select(['id', 'at']).where('id', '<', last).limit(size).as('step');
      const within = sql<number>`count(CASE WHEN at >= ${from} AND at < ${to} THEN 1 END)`.as('within');
      const searched = db
        .selectFrom(step)
        .select(({ fn }) => [fn.min('id').as('first'), fn.countAll<number>().as('all')]);
      const found = await searched.select(within).executeTakeFirstOrThrow();
      if (found.within > 0) {
        const inStep = own
          .where('id', '<', last)
          .where('id', '>=', found.first)
          .where('at', '>=', from)
          .where('at', '<', to);
        const some = inStep
          .select(['id', 'at', 'actor', 'action', 'target', 'ip', 'changes'])
          .limit(most - rows.length);
        rows.push(...(await some.execute()));
      }
      if (found.all < size) break;
      // Entries searched at once for those of a time: some milliseconds. Nobody bounds how many an organization has.
      [last, size] = [found.first, 5_000];
      await setImmediate();
    }
    return rows;
  }
}

interface Search extends Pick<AuditFilter, 'from' | 'to'> {
  readonly before: number;
  readonly most: number;
}

type AuditRow = Omit<AuditEntry, 'id' | 'changes'> & { readonly id: number; readonly changes: string | null };

function entryOf({ id, changes, ...row }: AuditRow): AuditEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `append` has written
  return { ...row, id: String(id), changes: changes === null ? null : (readJson(changes) as Changes) };
}
