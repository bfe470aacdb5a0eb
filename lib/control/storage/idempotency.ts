/** Requests that create something and may be sent again: it is created only once. */
import { createHash } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import type { ControlConnection } from './connection.ts';
import type { Vault } from './vault.ts';

/** How long a key is kept. Milliseconds. */
const KNOWN_MS = 86_400_000;
/** Keys kept per organization. */
const MAX_KEYS = 10_000;

export interface Keyed {
  readonly orgId: string;
  /** The sender's. */
  readonly key: string;
  /** What is requested: the same key with another request is a mistake. */
  readonly request: string;
}

export interface MadeAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

interface Row {
  readonly request: Buffer;
  readonly status: number;
  readonly sealed: Buffer;
}

export class Idempotency {
  readonly #connection: ControlConnection;
  readonly #vault: Vault;

  constructor(connection: ControlConnection, vault: Vault) {
    this.#connection = connection;
    this.#vault = vault;
  }

  /**
   * Runs `make` and stores its answer in one transaction; a key of the last 24 hours gets its stored answer. An error of `make`
   * is not stored. Throws AppError `conflict` if the key came with another request, `limit_reached` for too many.
   */
  once({ orgId, key, request }: Keyed, make: () => MadeAnswer): MadeAnswer & { readonly replayed: boolean } {
    const connection = this.#connection;
    const [keyHash, requestHash] = [hash(key), hash(request)];
    return connection.write(() => {
      const now = connection.now();
      const find = 'SELECT request, status, sealed FROM idempotent_answers WHERE org_id = ? AND key = ? AND at > ?';
      const known = connection.row<Row>(find, orgId, keyHash, now - KNOWN_MS);
      if (known !== undefined) {
        if (!known.request.equals(requestHash)) throw otherRequest();
        return { status: known.status, body: this.#vault.open(known.sealed, owner(orgId, keyHash)), replayed: true };
      }
      this.#makeRoom(orgId, now);
      const made = make();
      const sealed = this.#vault.seal(made.body, owner(orgId, keyHash));
      const insert =
        'INSERT INTO idempotent_answers (org_id, key, request, status, sealed, at) VALUES (?, ?, ?, ?, ?, ?)';
      connection.run(insert, orgId, keyHash, requestHash, made.status, sealed, now);
      return { ...made, replayed: false };
    });
  }

  #makeRoom(orgId: string, now: number): void {
    this.#connection.run('DELETE FROM idempotent_answers WHERE at <= ?', now - KNOWN_MS);
    const sql = 'SELECT count(*) FROM idempotent_answers WHERE org_id = ?';
    if ((this.#connection.value<number>(sql, orgId) ?? 0) < MAX_KEYS) return;
    throw new AppError(
      'limit_reached',
      `The organization has used ${MAX_KEYS.toLocaleString('en')} idempotency keys in 24 hours.`,
      {
        hints: ['Leave out the header for requests you do not repeat.'],
      },
    );
  }
}

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

const owner = (orgId: string, key: Buffer): string => `${orgId}/${key.toString('hex')}`;

function otherRequest(): AppError {
  return new AppError('conflict', 'This Idempotency-Key was used for a different request.', {
    hints: ['Use a new key for each thing you create, and reuse it only to repeat that request.'],
  });
}
