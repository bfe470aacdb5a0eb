import { timingSafeEqual } from 'node:crypto';
import { storageError, type ControlConnection } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { hashKey, isKeyShaped, nameOfKey } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import type { Projects } from './projects.ts';
import type { Tokens } from './tokens.ts';
import { SCOPES, type Credential } from '../types.ts';

/** Keys cached, about 1 KB each; beyond that the oldest is looked up again. */
const MAX_REMEMBERED = 10_000;

interface Remembered {
  readonly credential: Credential;
  readonly expiresAt: number | null;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly keys: Keys;
  readonly tokens: Tokens;
  readonly projects: Projects;
  readonly flusher: Flusher;
}

/** Finds whom a key speaks for. Its cache is cleared whenever anybody has written to the database. */
export class Credentials {
  readonly #parts: Parts;
  readonly #remembered = new Map<string, Remembered>(); // by SHA-256 of the key: no key stays in memory
  readonly #used = new Map<string, number>();
  #epoch = -1;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** null: unknown, revoked or expired. A few microseconds; notes the use of tokens. */
  find(key: string): Credential | null {
    try {
      return this.#find(key);
    } catch (error) {
      throw storageError(error); // every request comes here: it must tell a bad disk from a bug
    }
  }

  #find(key: string): Credential | null {
    if (!isKeyShaped(key)) return null;
    this.#forgetWhatIsStale();
    const name = nameOfKey(key);
    const found = this.#remembered.get(name) ?? this.#remember(name, this.#lookUp(key, hashKey(key)));
    const now = this.#parts.connection.now();
    if (found === null || (found.expiresAt !== null && found.expiresAt <= now)) return null;
    if (found.credential.kind === 'token') {
      this.#used.set(found.credential.tokenId, now);
      this.#parts.flusher.schedule();
    }
    return found.credential;
  }

  /** Whether uses of tokens wait to be written. */
  get hasUses(): boolean {
    return this.#used.size > 0;
  }

  /** Writes when tokens were last used, inside a transaction of the caller; `forgetUses` when it has committed. */
  writeUses(): void {
    for (const [tokenId, at] of this.#used) this.#parts.tokens.noteUse(tokenId, at);
  }

  forgetUses(): void {
    this.#used.clear();
  }

  #forgetWhatIsStale(): void {
    const epoch = this.#parts.connection.epoch();
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#remembered.clear();
  }

  #remember(name: string, found: Remembered | null): Remembered | null {
    if (found === null) return null; // Guesses must not evict keys in use.
    const [oldest] = this.#remembered.size >= MAX_REMEMBERED ? this.#remembered.keys() : [];
    if (oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(name, found);
    return found;
  }

  #lookUp(key: string, hash: Buffer): Remembered | null {
    return key.startsWith('aat_') ? this.#lookUpToken(hash) : this.#lookUpKey(hash);
  }

  #lookUpToken(hash: Buffer): Remembered | null {
    const found = this.#parts.tokens.findByHash(hash);
    if (found === null || !timingSafeEqual(found.hash, hash)) return null;
    const { id, projectId, scopes, expiresAt } = found.token;
    const project = this.#parts.projects.get(projectId);
    return { credential: { kind: 'token', project, scopes, tokenId: id }, expiresAt };
  }

  #lookUpKey(hash: Buffer): Remembered | null {
    const row = this.#parts.keys.find(hash);
    if (row === undefined || !timingSafeEqual(row.hash, hash)) return null;
    const { kind, projectId, orgId, expiresAt } = row;
    if (kind === 'org_admin') return orgId === null ? null : { credential: { kind, orgId }, expiresAt };
    if (projectId === null) return null;
    const project = this.#parts.projects.get(projectId);
    return { credential: { kind, project, scopes: kind === 'public' ? ['track'] : SCOPES }, expiresAt };
  }
}
