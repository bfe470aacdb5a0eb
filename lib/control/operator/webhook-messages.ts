/** Messages for the receiver of a host: those waiting, and the outcome of those sent. */
import { AppError } from '../../base/errors.ts';
import { type ControlConnection, MAX_PAGE } from '../storage/connection.ts';
import { newId } from '../key-text.ts';
import type { HostEvent } from '../types.ts';
import type { Audited } from '../audit.ts';
import { DAY_MS } from '../../base/day.ts';

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

type AuditRow = Pick<Audited, 'orgId' | 'at' | 'action' | 'target'> & { readonly id: number };

/** Older messages are dropped. Milliseconds. */
export const MAX_MESSAGE_AGE = 3 * DAY_MS;
/** Finished messages kept for the operator to see; with more waiting, a test message would come too late. */
const MAX_ENDED = 1_000;
/** How long sent events are remembered: longer than a month, after which they are sent again. Milliseconds. */
const REMEMBERED = 62 * DAY_MS;
const CURSOR = 'webhook_audit_cursor';

/** Messages at no end yet; `since`: when the oldest of them was created. */
export interface WaitingMessages {
  readonly count: number;
  readonly since: number | null;
}

/** Several processes may send from one control database: each message is taken by one of them at a time. */
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
  async addAudited(most: number): Promise<void> {
    const cursor = (this.#cursor ??= await this.#readCursor());
    const audit = this.#connection.db.selectFrom('audit').select(['id', 'org_id as orgId', 'at', 'action', 'target']);
    const entries: AuditRow[] = await audit.where('id', '>', cursor).orderBy('id').limit(MAX_PAGE).execute();
    const since = this.#connection.now() - MAX_MESSAGE_AGE;
    const events = entries.flatMap((entry) => {
      const event = entry.at < since ? null : eventOf(entry);
      return event === null ? [] : [{ event, entry }];
    });
    let last = entries.at(-1)?.id ?? cursor;
    if (events.length === 0 && entries.length < MAX_PAGE) return void (this.#cursor = last);
    await this.#connection.write(async () => {
      let room = most - (await this.waiting()).count;
      const taken = (await this.#connection.noted(CURSOR)) ?? 0; // by another process, meanwhile
      last = Math.max(last, taken);
      for (const { event, entry } of events) {
        if (entry.id <= taken) continue;
        if (room-- <= 0) {
          last = entry.id - 1;
          break;
        }
        await this.#insert(event, entry.at);
      }
      await this.#connection.note(CURSOR, last);
    });
    this.#cursor = last;
  }

  /** Makes messages, one for each key. Returns the keys that need no repetition: those that found no room are not among them. */
  async addOnce(events: ReadonlyMap<string, HostEvent>, most: number): Promise<readonly string[]> {
    if (events.size === 0) return [];
    const now = this.#connection.now();
    return this.#connection.write(async () => {
      const room = most - (await this.waiting()).count;
      if (room <= 0) return [];
      await this.#forgetOld(now);
      const taken = [...events].slice(0, room);
      for (const [once, event] of taken) {
        if (await this.#remember(once, now)) await this.#insert(event, now);
      }
      return taken.map(([once]) => once);
    });
  }

  /** Whether nobody has noted this before, within the time for which it is remembered. */
  noteOnce(what: string): Promise<boolean> {
    const now = this.#connection.now();
    return this.#connection.write(async () => {
      await this.#forgetOld(now);
      return this.#remember(what, now);
    });
  }

  async #forgetOld(now: number): Promise<void> {
    const old = this.#connection.db.deleteFrom('webhook_told').where('at', '<', now - REMEMBERED);
    await old.execute();
  }

  /** False: it is remembered already. */
  async #remember(what: string, now: number): Promise<boolean> {
    const insert = this.#connection.db.insertInto('webhook_told').values({ what, at: now });
    const { numInsertedOrUpdatedRows } = await insert.onConflict((known) => known.doNothing()).executeTakeFirst();
    return numInsertedOrUpdatedRows === 1n;
  }

  /** Makes a test message. Throws AppError `limit_reached` if very many wait. */
  async addTest(): Promise<void> {
    const event = { type: 'webhook.test', data: {} } as const;
    if ((await this.addOnce(new Map([[newId('msg_'), event]]), MAX_ENDED)).length > 0) return;
    throw new AppError('limit_reached', `${MAX_ENDED.toLocaleString('en')} messages wait already`, {
      hints: ['`wl admin webhooks` shows what the receiver answers'],
    });
  }

  /** Takes the next due message, for as long as a try may last; null: none is due. */
  async next(): Promise<DueMessage | null> {
    const connection = this.#connection;
    if ((await this.#due()) === null) return null; // most often: then nothing is written
    return connection.write(async () => {
      const due = await this.#due();
      // How long a message that somebody sends is nobody else's: longer than a try takes. After it, whoever took it has
      // died.
      if (due !== null) await this.#setDue(due.id, connection.now() + 30_000);
      return due;
    });
  }

  /** Gives a message back that was taken and not sent. */
  async release(id: string): Promise<void> {
    await this.#connection.write(() => this.#setDue(id, this.#connection.now()));
  }

  /** Records a try. `dueAt`: when to retry; null: finished. */
  async tried(
    id: string,
    { answer, delivered, dueAt }: { answer: string; delivered: boolean; dueAt: number | null },
  ): Promise<void> {
    const connection = this.#connection;
    await connection.write(async () => {
      const { db, now } = connection;
      const messages = db.updateTable('webhook_messages').where('id', '=', id);
      const outcome = { tried_at: now(), answer, delivered: delivered ? 1 : 0, due_at: dueAt };
      await messages.set((message) => ({ ...outcome, tries: message('tries', '+', 1) })).execute();
      if (dueAt !== null) return;
      const ended = db.selectFrom('webhook_messages').select('rowid').where('due_at', 'is', null);
      const kept = ended.orderBy('tried_at', 'desc').orderBy('rowid', 'desc').limit(MAX_ENDED);
      const forgotten = db.deleteFrom('webhook_messages').where('due_at', 'is', null);
      await forgotten.where('rowid', 'not in', kept).execute();
    });
  }

  async waiting(): Promise<WaitingMessages> {
    const messages = this.#connection.db.selectFrom('webhook_messages').where('due_at', 'is not', null);
    const select = messages.select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('made_at').as('since')]);
    const { count, since } = await select.executeTakeFirstOrThrow();
    return { count, since };
  }

  /** Newest first. */
  async list(limit: number): Promise<readonly WebhookMessage[]> {
    const messages = this.#connection.db.selectFrom('webhook_messages').orderBy('made_at', 'desc');
    const rows = await messages
      .orderBy('rowid', 'desc')
      .limit(limit)
      .select(['id', 'type', 'made_at as madeAt', 'tries', 'tried_at as triedAt', 'answer', 'due_at as dueAt'])
      .select('delivered')
      .execute();
    return rows.map(({ delivered, ...row }) => {
      const waits = row.dueAt === null ? 'given up' : 'waiting';
      return { ...row, state: delivered === 1 ? 'delivered' : waits };
    });
  }

  async #due(): Promise<DueMessage | null> {
    const { db, now } = this.#connection;
    const select = db.selectFrom('webhook_messages').select(['id', 'body', 'made_at as madeAt', 'tries']);
    const due = select.where('due_at', '<=', now()).orderBy('due_at').orderBy('rowid').limit(1);
    return (await due.executeTakeFirst()) ?? null;
  }

  async #setDue(id: string, at: number): Promise<void> {
    await this.#connection.db.updateTable('webhook_messages').set({ due_at: at }).where('id', '=', id).execute();
  }

  async #insert(event: HostEvent, at: number): Promise<void> {
    const { db, now } = this.#connection;
    const message = { id: newId('msg_'), type: event.type, body: bodyOf(event, at), made_at: at, due_at: now() };
    await db.insertInto('webhook_messages').values(message).execute();
  }

  /** On a folder that has none yet, earlier entries are skipped. */
  async #readCursor(): Promise<number> {
    const connection = this.#connection;
    const known = await connection.noted(CURSOR);
    if (known !== null) return known;
    const select = connection.db.selectFrom('audit').select('id').orderBy('id', 'desc').limit(1);
    const last = (await select.executeTakeFirst())?.id ?? 0;
    await connection.write(() => connection.note(CURSOR, last));
    return last;
  }
}

function eventOf({ action, orgId, target }: AuditRow): HostEvent | null {
  const [projectId = ''] = target.split('/', 1); // an import also names the source project
  const data = { org_id: orgId, project_id: projectId };
  if (action === 'project.create' || action === 'project.import') return { type: 'project.created', data };
  return action === 'project.delete' ? { type: 'project.deleted', data } : null;
}

/** In the Standard Webhooks format: type, timestamp, data. */
function bodyOf({ type, data }: HostEvent, at: number): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
