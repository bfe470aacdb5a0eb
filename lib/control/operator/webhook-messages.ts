/** Messages for the receiver of a host: those waiting, and the outcome of those sent. */
import { AppError } from '../../base/errors.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { newId } from '../key-text.ts';
import { unreachable } from '../../base/unreachable.ts';
import type { AuditAction } from '../types.ts';

/** A limit that refused somebody. */
export type ReachedLimit = 'projects' | 'events_per_month' | 'events_per_minute' | 'queries_per_minute';

/** An event for the host. It holds ids and no tenant's text. */
export type HostEvent =
  | { readonly type: 'project.created' | 'project.deleted'; readonly orgId: string; readonly projectId: string }
  | {
      readonly type: 'limit.reached';
      readonly orgId: string;
      /** null: it concerns only the organization. */
      readonly projectId: string | null;
      readonly limit: ReachedLimit;
    }
  | {
      readonly type: 'damage.found';
      readonly where: 'shard' | 'journal';
      /** null: unknown. */
      readonly projectId: string | null;
    }
  /** The operator wants to see a message arrive. */
  | { readonly type: 'webhook.test' };

/** A message to send. */
export interface DueMessage {
  /** Constant across tries. */
  readonly id: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  /** Tries before this one. */
  readonly tries: number;
}

/** A message as the operator sees it. */
export interface WebhookMessage {
  readonly id: string;
  readonly type: HostEvent['type'];
  readonly madeAt: number;
  readonly state: 'waiting' | 'delivered' | 'given up';
  readonly tries: number;
  readonly triedAt: number | null;
  /** A status, or why there was none; null: not tried. */
  readonly answer: string | null;
  /** null: it is not retried. */
  readonly dueAt: number | null;
}

interface AuditRow {
  readonly id: number;
  readonly orgId: string;
  readonly at: number;
  readonly action: AuditAction;
  readonly target: string;
}

/** Older messages are dropped. Milliseconds. */
export const MAX_MESSAGE_AGE = 3 * 86_400_000;
/** Finished messages kept for the operator to see. */
const MAX_ENDED = 1_000;
/** Audit entries read at once. */
const AUDIT_PAGE = 500;
/** How long sent events are remembered: longer than a month, after which they are sent again. Milliseconds. */
const REMEMBERED = 62 * 86_400_000;
/** Messages that may be waiting when the operator tests the receiver. */
const MAX_BEFORE_TEST = 1_000;
const CURSOR = 'webhook_audit_cursor';

const TRIED = `
  UPDATE webhook_messages SET tries = tries + 1, tried_at = ?, answer = ?, delivered = ?, due_at = ? WHERE id = ?`;
const FORGET_ENDED = `
  DELETE FROM webhook_messages WHERE due_at IS NULL AND rowid NOT IN
    (SELECT rowid FROM webhook_messages WHERE due_at IS NULL ORDER BY tried_at DESC, rowid DESC LIMIT ?)`;
const LIST = `
  SELECT id, type, made_at AS madeAt, tries, tried_at AS triedAt, answer, due_at AS dueAt,
    CASE WHEN delivered THEN 'delivered' WHEN due_at IS NULL THEN 'given up' ELSE 'waiting' END AS state
  FROM webhook_messages ORDER BY made_at DESC, rowid DESC LIMIT ?`;

export class WebhookMessages {
  readonly #connection: ControlConnection;
  #cursor: number | null = null;

  constructor(connection: ControlConnection) {
    this.#connection = connection;
  }

  /**
   * Makes messages of the audit entries since the last call, whichever process wrote them; starts with the first call on a
   * folder. While `most` messages wait, new entries stay in the trail.
   */
  takeUp(most: number): void {
    const cursor = (this.#cursor ??= this.#readCursor());
    const sql = 'SELECT id, org_id AS orgId, at, action, target FROM audit WHERE id > ? ORDER BY id LIMIT ?';
    const entries = this.#connection.rows<AuditRow>(sql, cursor, AUDIT_PAGE);
    const since = this.#connection.now() - MAX_MESSAGE_AGE;
    const events = entries.flatMap((entry) => {
      const event = entry.at < since ? null : eventOf(entry);
      return event === null ? [] : [{ event, entry }];
    });
    let last = entries.at(-1)?.id ?? cursor;
    if (events.length === 0 && entries.length < AUDIT_PAGE) return void (this.#cursor = last);
    this.#connection.write(() => {
      let room = most - this.waiting.count;
      for (const { event, entry } of events) {
        if (room-- <= 0) {
          last = entry.id - 1;
          break;
        }
        this.#insert(event, entry.at);
      }
      this.#connection.note(CURSOR, last);
    });
    this.#cursor = last;
  }

  /** Makes messages, one for each key. Returns the keys that need no repetition: those that found no room are not among them. */
  addOnce(events: ReadonlyMap<string, HostEvent>, most: number): readonly string[] {
    const room = most - this.waiting.count;
    if (events.size === 0 || room <= 0) return [];
    const now = this.#connection.now();
    return this.#connection.write(() => {
      this.#connection.run('DELETE FROM webhook_told WHERE at < ?', now - REMEMBERED);
      const taken = [...events].slice(0, room);
      const remember = 'INSERT OR IGNORE INTO webhook_told (what, at) VALUES (?, ?)';
      for (const [once, event] of taken) if (this.#connection.run(remember, once, now) > 0) this.#insert(event, now);
      return taken.map(([once]) => once);
    });
  }

  /** Makes a test message. Throws AppError `limit_reached` if very many wait. */
  addTest(): void {
    const event = { type: 'webhook.test' } as const;
    if (this.addOnce(new Map([[newId('msg_'), event]]), MAX_BEFORE_TEST).length > 0) return;
    throw new AppError('limit_reached', `${MAX_BEFORE_TEST.toLocaleString('en')} messages wait already`, {
      hints: ['`wl admin webhooks` shows what the receiver answers'],
    });
  }

  /** The next due message; null: none is due. */
  next(): DueMessage | null {
    const sql =
      'SELECT id, body, made_at AS madeAt, tries FROM webhook_messages WHERE due_at <= ? ORDER BY due_at, rowid LIMIT 1';
    return this.#connection.row<DueMessage>(sql, this.#connection.now()) ?? null;
  }

  /** Records a try. `dueAt`: when to retry; null: finished. */
  tried(id: string, { answer, delivered, dueAt }: { answer: string; delivered: boolean; dueAt: number | null }): void {
    const connection = this.#connection;
    connection.write(() => {
      connection.run(TRIED, connection.now(), answer, delivered ? 1 : 0, dueAt, id);
      if (dueAt === null) connection.run(FORGET_ENDED, MAX_ENDED);
    });
  }

  /** `since`: when the oldest of them was created. */
  get waiting(): { readonly count: number; readonly since: number | null } {
    const sql = 'SELECT count(*) AS count, min(made_at) AS since FROM webhook_messages WHERE due_at IS NOT NULL';
    return this.#connection.row<WebhookMessages['waiting']>(sql)!;
  }

  /** Newest first. */
  list(limit: number): readonly WebhookMessage[] {
    return this.#connection.rows<WebhookMessage>(LIST, limit);
  }

  #insert(event: HostEvent, at: number): void {
    const sql = 'INSERT INTO webhook_messages (id, type, body, made_at, due_at) VALUES (?, ?, ?, ?, ?)';
    this.#connection.run(sql, newId('msg_'), event.type, bodyOf(event, at), at, this.#connection.now());
  }

  /** On a folder that has none yet, earlier entries are skipped. */
  #readCursor(): number {
    const connection = this.#connection;
    const known = connection.noted(CURSOR);
    if (known !== null) return known;
    const last = connection.value<number | null>('SELECT max(id) FROM audit') ?? 0;
    connection.write(() => connection.note(CURSOR, last));
    return last;
  }
}

function eventOf({ action, orgId, target }: AuditRow): HostEvent | null {
  const [projectId = ''] = target.split('/', 1); // an import also names the source project
  if (action === 'project.create' || action === 'project.import') return { type: 'project.created', orgId, projectId };
  return action === 'project.delete' ? { type: 'project.deleted', orgId, projectId } : null;
}

/** In the Standard Webhooks format: type, timestamp, data. */
function bodyOf(event: HostEvent, at: number): string {
  return JSON.stringify({ type: event.type, timestamp: new Date(at).toISOString(), data: dataOf(event) });
}

function dataOf(event: HostEvent): Readonly<Record<string, string | null>> {
  switch (event.type) {
    case 'project.created':
    case 'project.deleted':
      return { org_id: event.orgId, project_id: event.projectId };
    case 'limit.reached':
      return { org_id: event.orgId, project_id: event.projectId, limit: event.limit };
    case 'damage.found':
      return { where: event.where, project_id: event.projectId };
    case 'webhook.test':
      return {};
    default:
      return unreachable(event);
  }
}
