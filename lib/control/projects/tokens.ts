import { AppError } from '../../base/errors.ts';
import type { Audit } from '../audit.ts';
import { type ControlConnection, countOf } from '../storage/connection.ts';
import type { Flusher } from '../storage/flusher.ts';
import { hashKey, newId, newKey, shownPrefix } from '../key-text.ts';
import { DEFAULT_TOKEN_LIFETIME_MS } from './lifetime.ts';
import { checkName, notFound } from '../names.ts';
import type { Keys } from '../keys.ts';
import type { Projects } from './projects.ts';
import { type Actor, type Scope, SCOPES, type Token } from '../types.ts';

/** Tokens of a project, including expired ones: limits what a stolen session can fill. */
export const MAX_TOKENS = 1000;

interface NewToken {
  readonly projectId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Whether it sees personal data; default: it does. */
  readonly personal?: boolean;
  /** Milliseconds; default: 90 days. */
  readonly lifetimeMs?: number;
}

type TokenRow = Omit<Token, 'scopes' | 'personal'> & { readonly scopes: string; readonly personal: number };

interface Parts {
  readonly connection: ControlConnection;
  readonly projects: Projects;
  readonly keys: Keys;
  readonly audit: Audit;
  readonly flusher: Flusher;
}

export class Tokens {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The token itself (`key`, `aat_`) cannot be read again. */
  async create(wanted: NewToken, by: Actor): Promise<{ token: Token; key: string }> {
    const { connection, projects, keys, audit } = this.#parts;
    const { projectId, lifetimeMs = DEFAULT_TOKEN_LIFETIME_MS, personal = true } = wanted;
    const name = checkName(wanted.name, 'token');
    const scopes = checkScopes(wanted.scopes, personal).join(',');
    const [id, key] = [newId('tok_'), newKey('aat_')];
    return connection.write(async () => {
      const { orgId } = await projects.get(projectId);
      await this.#checkCount(projectId);
      if (!personal) await keys.needHashKey(projectId);
      const now = connection.now();
      const shown = { name, prefix: shownPrefix(key), scopes, personal: Number(personal) };
      const times = { expires_at: now + lifetimeMs, created_at: now };
      const maker = { created_by: by.name, account_id: by.accountId ?? null };
      const row = { id, project_id: projectId, hash: hashKey(key), ...shown, ...times, ...maker };
      await connection.db.insertInto('tokens').values(row).execute();
      await audit.append(orgId, 'token.create', personal ? id : `${id}/personal:false`, by);
      return { token: await this.get(id), key };
    });
  }

  async find(id: string): Promise<Token | null> {
    const row = await this.#select().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : token(row);
  }

  async get(id: string): Promise<Token> {
    return (await this.find(id)) ?? notFound(`token "${id}"`);
  }

  async findByHash(hash: Buffer): Promise<Token | null> {
    const row = await this.#select().where('hash', '=', hash).executeTakeFirst();
    return row === undefined ? null : token(row);
  }

  /** Expired ones too, ordered by creation. */
  async list(projectId: string): Promise<Token[]> {
    await this.#parts.flusher.flush();
    const ordered = this.#select().orderBy('created_at').orderBy('rowid');
    return (await ordered.where('project_id', '=', projectId).execute()).map(token);
  }

  /** Names by id, of those that exist. */
  async names(ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map(); // PostgreSQL knows no empty list
    const { db } = this.#parts.connection;
    const rows = await db.selectFrom('tokens').select(['id', 'name']).where('id', 'in', ids).execute();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Throws AppError `not_found` if the project has no such token. */
  async revoke(projectId: string, id: string, by: Actor): Promise<void> {
    const { connection, projects, audit } = this.#parts;
    await connection.write(async () => {
      if ((await this.get(id)).projectId !== projectId) notFound(`token "${id}"`);
      await connection.db.deleteFrom('tokens').where('id', '=', id).execute();
      await audit.append((await projects.get(projectId)).orgId, 'token.revoke', id, by);
    });
  }

  /** Inside a transaction of the caller. */
  async noteUse(id: string, at: number): Promise<void> {
    const update = this.#parts.connection.db.updateTable('tokens').set({ last_used_at: at });
    await update.where('id', '=', id).execute();
  }

  async #checkCount(projectId: string): Promise<void> {
    const tokens = this.#parts.connection.db.selectFrom('tokens').where('project_id', '=', projectId);
    if ((await countOf(tokens)) < MAX_TOKENS) return;
    throw new AppError('limit_reached', `a project may have ${MAX_TOKENS} tokens`, {
      hints: ['revoke tokens that have expired or are unused'],
    });
  }

  #select() {
    const tokens = this.#parts.connection.db.selectFrom('tokens');
    return tokens
      .select(['id', 'project_id as projectId', 'name', 'prefix', 'scopes', 'personal'])
      .select('expires_at as expiresAt')
      .select(['created_at as createdAt', 'last_used_at as lastUsedAt', 'created_by as createdBy'])
      .select('account_id as accountId');
  }
}

function token(row: TokenRow): Token {
  return { ...row, scopes: checkScopes(row.scopes.split(',')), personal: row.personal !== 0 };
}

/** The given scopes, each once, in the order of SCOPES. Throws AppError `bad_request` if there is none, one is unknown, or one needs personal data that is not seen. */
function checkScopes(names: readonly string[], personal = true): readonly Scope[] {
  if (!personal && names.includes('admin')) {
    throw new AppError('bad_request', 'A token that sees no personal data cannot have the scope "admin".', {
      field: 'scopes',
      hints: ['That scope exports people by their ids: leave it out, or let the token see personal data.'],
    });
  }
  const unknown = names.find((name) => !SCOPES.some((scope) => scope === name));
  if (unknown === undefined && names.length > 0) return SCOPES.filter((scope) => names.includes(scope));
  const wrong = unknown === undefined ? 'A token needs at least one scope.' : `Unknown scope "${unknown}".`;
  throw new AppError('bad_request', wrong, { field: 'scopes', hints: [`Scopes are ${SCOPES.join(', ')}.`] });
}
