import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import type { ControlConnection } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { hashKey, newId, newKey, shownPrefix } from '../key-text.ts';
import { DEFAULT_TOKEN_LIFETIME_MS } from './lifetime.ts';
import { checkName } from '../names.ts';
import type { Projects } from './projects.ts';
import { checkScopes } from './scopes.ts';
import type { Actor, Token } from '../types.ts';

/** Tokens of a project, including expired ones: limits what a stolen session can fill. */
const MAX_TOKENS = 1000;

export interface NewToken {
  readonly projectId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Milliseconds; default: 90 days. */
  readonly lifetimeMs?: number;
}

interface TokenRow extends Omit<Token, 'scopes'> {
  readonly scopes: string;
  readonly hash: Buffer;
}

const COLUMNS = `id, project_id AS projectId, hash, name, prefix, scopes, expires_at AS expiresAt,
  created_at AS createdAt, last_used_at AS lastUsedAt, created_by AS createdBy FROM tokens`;

/** A token of a project; another host's keeps all but the project. */
export const INSERT = `
  INSERT INTO tokens (id, project_id, hash, name, prefix, scopes, expires_at, created_at, created_by)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly audit: Audit;
  readonly flusher: Flusher;
}

export class Tokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The token itself (`key`, `aat_`) cannot be read again. */
  create(wanted: NewToken, by: Actor): { token: Token; key: string } {
    const { connection, projects, audit } = this.#parts;
    const { projectId, lifetimeMs = DEFAULT_TOKEN_LIFETIME_MS } = wanted;
    const name = checkName(wanted.name, 'token');
    const scopes = checkScopes(wanted.scopes).join(',');
    const [id, key] = [newId('tok_'), newKey('aat_')];
    return connection.write(() => {
      const { orgId } = projects.get(projectId);
      this.#checkCount(projectId);
      const now = connection.now();
      const values = [id, projectId, hashKey(key), name, shownPrefix(key), scopes, now + lifetimeMs, now, by.name];
      connection.run(INSERT, ...values);
      audit.append(orgId, 'token.create', id, by);
      return { token: this.get(id), key };
    });
  }

  find(id: string): Token | null {
    const row = this.#parts.connection.row<TokenRow>(`SELECT ${COLUMNS} WHERE id = ?`, id);
    return row === undefined ? null : token(row);
  }

  get(id: string): Token {
    return this.find(id) ?? notFound(id);
  }

  findByHash(hash: Buffer): { token: Token; hash: Buffer } | null {
    const row = this.#parts.connection.row<TokenRow>(`SELECT ${COLUMNS} WHERE hash = ?`, hash);
    return row === undefined ? null : { token: token(row), hash: row.hash };
  }

  /** Expired ones too, ordered by creation. */
  list(projectId: string): Token[] {
    this.#parts.flusher.flush();
    const sql = `SELECT ${COLUMNS} WHERE project_id = ? ORDER BY created_at, rowid`;
    return this.#parts.connection.rows<TokenRow>(sql, projectId).map(token);
  }

  /** Throws AppError `not_found` if the project has no such token. */
  revoke(projectId: string, id: string, by: Actor): void {
    const { connection, projects, audit } = this.#parts;
    connection.write(() => {
      if (this.get(id).projectId !== projectId) notFound(id);
      connection.run('DELETE FROM tokens WHERE id = ?', id);
      audit.append(projects.get(projectId).orgId, 'token.revoke', id, by);
    });
  }

  /** Inside a transaction of the caller. */
  noteUse(id: string, at: number): void {
    this.#parts.connection.run('UPDATE tokens SET last_used_at = ? WHERE id = ?', at, id);
  }

  #checkCount(projectId: string): void {
    const sql = 'SELECT count(*) FROM tokens WHERE project_id = ?';
    if ((this.#parts.connection.value<number>(sql, projectId) ?? 0) < MAX_TOKENS) return;
    throw new AppError('limit_reached', `a project may have ${MAX_TOKENS} tokens`, {
      hints: ['revoke tokens that have expired or are unused'],
    });
  }
}

function token(row: TokenRow): Token {
  const { hash: _hash, ...rest } = row;
  return { ...rest, scopes: checkScopes(row.scopes.split(',')) };
}

function notFound(id: string): never {
  throw new AppError('not_found', `there is no token "${id}"`);
}
