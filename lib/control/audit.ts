import type { ControlConnection } from './storage/connection.ts';
import type { Actor, AuditAction, AuditEntry } from './types.ts';

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

const DEFAULT_PAGE = 100;

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
  async append(orgId: string, action: AuditAction, target: string, by: Actor): Promise<void> {
    const entry = { at: this.#connection.now(), actor: by.name, action, target, ip: by.ip };
    await this.#connection.db
      .insertInto('audit')
      .values({ org_id: orgId, ...entry })
      .execute();
    this.#connection.afterCommit(() => this.#onAudit?.({ orgId, ...entry }));
  }

  /** Newest first. An invalid cursor gives an empty page. */
  async page(orgId: string, filter: AuditFilter = {}): Promise<AuditPage> {
    const limit = Math.min(Math.max(filter.limit ?? DEFAULT_PAGE, 1), MAX_AUDIT_PAGE);
    const before = filter.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(filter.cursor);
    if (!Number.isSafeInteger(before)) return { entries: [], nextCursor: null };
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = filter;
    const select = this.#connection.db.selectFrom('audit').select(['id', 'at', 'actor', 'action', 'target', 'ip']);
    const found = select
      .where('org_id', '=', orgId)
      .where('id', '<', before)
      .where('at', '>=', from)
      .where('at', '<', to);
    const rows = await found
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute();
    const entries = rows.slice(0, limit).map((row) => ({ ...row, id: String(row.id) }));
    return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
  }
}
