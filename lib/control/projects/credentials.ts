import { Lru } from '../../base/lru.ts';
import type { ControlConnection } from '../storage/connection.ts';
import { type FlushedRows, type Flusher, LastUses } from '../storage/flusher.ts';
import { hashKey, isKeyShaped, nameOfKey } from '../key-text.ts';
import type { Keys } from '../keys.ts';
import type { OperatorKeys } from '../operator-keys.ts';
import type { Projects } from './projects.ts';
import type { Tokens } from './tokens.ts';
import { SCOPES, type Credential } from '../types.ts';

interface Remembered {
  readonly credential: Credential;
  readonly expiresAt: number | null;
}

interface Parts {
  readonly connection: ControlConnection;
  readonly keys: Keys;
  readonly operatorKeys: OperatorKeys;
  readonly tokens: Tokens;
  readonly projects: Projects;
  readonly flusher: Flusher;
}

/** Finds whom a key speaks for. Its cache is cleared whenever anybody has written to the database. */
export class Credentials {
  readonly #parts: Parts;
  /** Keys cached, about 1 KB each; beyond that the least recently used is looked up again. */
  readonly #remembered = new Lru<string, Remembered>(10_000); // by SHA-256 of the key: no key stays in memory
  readonly #lastUses: LastUses;
  #epoch = -1;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { flusher, tokens, operatorKeys } = parts;
    this.#lastUses = new LastUses(flusher, (id, at) =>
      id.startsWith('opk_') ? operatorKeys.noteUse(id, at) : tokens.noteUse(id, at),
    );
  }

  /** null: unknown, revoked or expired. A few microseconds for a key in memory; notes the use of tokens and operator keys. */
  async find(key: string): Promise<Credential | null> {
    if (!isKeyShaped(key)) return null;
    this.#forgetWhatIsStale();
    const name = nameOfKey(key);
    const found = this.#remembered.get(name) ?? (await this.#lookUp(name, key));
    return found === null ? null : this.#inForce(found);
  }

  #inForce({ credential, expiresAt }: Remembered): Credential | null {
    const now = this.#parts.connection.now();
    if (expiresAt !== null && expiresAt <= now) return null;
    if (credential.kind === 'token') this.#lastUses.note(credential.tokenId, now);
    if (credential.kind === 'operator') this.#lastUses.note(credential.keyId, now);
    return credential;
  }

  /** When tokens and operator keys were last used, as far as that waits to be written. */
  takeNews(): FlushedRows[] {
    return this.#lastUses.takeNews();
  }

  #forgetWhatIsStale(): void {
    const epoch = this.#parts.connection.epoch();
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#remembered.clear();
  }

  /** What a key is now. Guesses are not remembered: they must not evict keys in use. */
  async #lookUp(name: string, key: string): Promise<Remembered | null> {
    const epoch = this.#epoch;
    const hash = hashKey(key);
    const found = await this.#lookUpHash(key.slice(0, key.indexOf('_')), hash);
    if (found !== null && epoch === this.#parts.connection.epoch()) this.#remembered.set(name, found);
    return found;
  }

  #lookUpHash(prefix: string, hash: Buffer): Promise<Remembered | null> {
    if (prefix === 'aat') return this.#lookUpToken(hash);
    return prefix === 'op' ? this.#lookUpOperator(hash) : this.#lookUpKey(hash);
  }

  async #lookUpOperator(hash: Buffer): Promise<Remembered | null> {
    const found = await this.#parts.operatorKeys.findByHash(hash);
    return found && { credential: { kind: 'operator', keyId: found.id }, expiresAt: found.expiresAt };
  }

  async #lookUpToken(hash: Buffer): Promise<Remembered | null> {
    const found = await this.#parts.tokens.findByHash(hash);
    if (found === null) return null;
    const { id, projectId, scopes, personal, expiresAt } = found;
    const { projects, keys } = this.#parts;
    const project = await projects.get(projectId);
    const hashKey = personal ? null : await keys.findHashKey(projectId);
    if (!personal && hashKey === null) throw new Error(`project ${projectId} has no key for hashes`);
    return { credential: { kind: 'token', project, scopes, tokenId: id, hashKey }, expiresAt };
  }

  async #lookUpKey(hash: Buffer): Promise<Remembered | null> {
    const row = await this.#parts.keys.find(hash);
    if (row === undefined) return null;
    const { kind, projectId, orgId, expiresAt } = row;
    if (kind === 'org_admin') return orgId === null ? null : { credential: { kind, orgId }, expiresAt };
    if (projectId === null) return null;
    const scopes = kind === 'public' ? (['track'] as const) : SCOPES;
    return { credential: { kind, project: await this.#parts.projects.get(projectId), scopes }, expiresAt };
  }
}
