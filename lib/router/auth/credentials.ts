/** Finds the credential of a request, and checks that it may do what the request asks. */
import type { IncomingMessage } from 'node:http';
import type { Credentials } from '../../control/projects/credentials.ts';
import type { Actor, Credential, Scope } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import type { FailureLimit } from '../limits/failure-limit.ts';
import { queryParameters } from '../http/query-string.ts';

/** A credential of a project, as /track, /identify and /query accept it. */
export type ProjectCredential = Exclude<Credential, { readonly kind: 'org_admin' | 'operator' }>;

/** How long a revoked key or an ended session may still work, ms: after a body that took longer to arrive it is checked again. */
export const REVOCATION_MS = 1_000;

/** A token of OAuth's form (RFC 6750). */
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

const WANTED: Readonly<Record<Scope, string>> = {
  track: 'a public key (pk_), a secret key (sk_) or an access token (aat_) with scope "track"',
  query: 'a secret key (sk_) or an access token (aat_) with scope "query"',
  admin: 'a secret key (sk_) or an access token (aat_) with scope "admin"',
  dashboards: 'a secret key (sk_) or an access token (aat_) with scope "dashboards"',
};

const ADMIN_KEY = 'the admin key of an organization (ak_)';
const OPERATOR_KEY = 'an operator key (op_)';

interface Admission {
  readonly scope: Scope;
  readonly ip: string | null;
  /** Whether `key` in the query string also counts. */
  readonly where: 'header' | 'anywhere';
  /** A key that the request brings in yet another place. */
  readonly given?: string | null;
}

/** Checks who is let in. */
export class Gatekeeper {
  readonly #keys: Credentials;
  readonly #failures: FailureLimit;

  constructor(keys: Credentials, failures: FailureLimit) {
    this.#keys = keys;
    this.#failures = failures;
  }

  /**
   * The credential of a request that may do `scope`. Throws 401 without a valid key, 403 when it may not, and 429 instead of 401
   * for an address with too many failures.
   */
  async admit(request: IncomingMessage, { scope, ip, where, given = null }: Admission): Promise<ProjectCredential> {
    const credential = await this.#find(request, { ip, where, given, wanted: WANTED[scope] });
    if ('project' in credential && credential.scopes.includes(scope)) return credential;
    throw new AppError('forbidden', `This key may not do that: you need ${WANTED[scope]}.`);
  }

  /**
   * The organization whose admin key a request carries, only in the header. Throws 401 without a valid key, 403 for another kind
   * of key, and 429 like `admit`.
   */
  async admitOrganization(request: IncomingMessage, ip: string | null): Promise<string> {
    const credential = await this.#find(request, { ip, where: 'header', wanted: ADMIN_KEY });
    if (credential.kind === 'org_admin') return credential.orgId;
    throw new AppError('forbidden', `This key may not do that: you need ${ADMIN_KEY}.`);
  }

  /** The id of the operator key that a request carries, only in the header. Throws like `admitOrganization`. */
  async admitOperator(request: IncomingMessage, ip: string | null): Promise<string> {
    const credential = await this.#find(request, { ip, where: 'header', wanted: OPERATOR_KEY });
    if (credential.kind === 'operator') return credential.keyId;
    throw new AppError('forbidden', `This key may not do that: you need ${OPERATOR_KEY}.`, {
      hints: ['The operator of this host makes one: wl admin operator-key create NAME.'],
    });
  }

  /** The credential of a request, whatever it may do. Throws like `admit`, but never 403. */
  identify(request: IncomingMessage, ip: string | null): Promise<Credential> {
    return this.#find(request, { ip, where: 'header', wanted: 'a valid one' });
  }

  async #find(
    request: IncomingMessage,
    { ip, where, given = null, wanted }: Omit<Admission, 'scope'> & { readonly wanted: string },
  ): Promise<Credential> {
    const key = keyOf(request, where) ?? given;
    if (key === null) {
      const places =
        where === 'header'
          ? 'header X-API-Key or Authorization: Bearer'
          : 'header X-API-Key or Authorization: Bearer, or query parameter "key"';
      throw this.#failures.refuse(ip, `No API key. Send ${wanted} in ${places}.`);
    }
    // No key is longer, so longer ones need no hashing.
    const credential = key.length <= 256 ? await this.#keys.find(key) : null;
    if (credential !== null) return credential;
    throw this.#failures.refuse(ip, `The API key is unknown, revoked or expired. Send ${wanted}.`);
  }
}

/** Who acts with a key of a project, as the audit trail names it. */
export function actorWith(credential: ProjectCredential, ip: string | null): Actor {
  const { kind, project } = credential;
  return { name: kind === 'token' ? `token:${credential.tokenId}` : `secret:${project.id}`, ip };
}

/** The key as sent; headers win. Throws 401 where they have two that differ. A parameter given twice is ambiguous and ignored. */
function keyOf(request: IncomingMessage, where: 'header' | 'anywhere'): string | null {
  const header = request.headers['x-api-key'];
  const bearer = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (typeof header === 'string' && header !== '') {
    if (bearer === undefined || bearer === header) return header;
    throw new AppError('unauthenticated', 'X-API-Key and Authorization have two keys that differ: send one.');
  }
  if (bearer !== undefined) return bearer;
  if (where === 'header') return null;
  const keys = queryParameters(request).getAll('key');
  return keys.length === 1 && keys[0] !== '' ? (keys[0] ?? null) : null;
}
