/**
 * Logs what an operator wants to know of an attack: how often logins failed, by address and cause, and requests were refused (401,
 * 403), by address and by the beginning of the key. Changes of rights or keys come from the audit trail (lib/server/service.ts). Never logs a secret:
 * of a key only the part that lists show, and nothing of other text, which may be a misplaced password.
 */
import type { IncomingMessage } from 'node:http';
import { isKeyShaped, shownPrefix } from '../../control/key-text.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type ClientAddresses, networkOf } from '../http/client-address.ts';
import { queryParameters } from '../http/query-string.ts';

/** IPv6: the /64. */
interface Place {
  readonly address: string;
}

type Kind =
  | (Place & {
      readonly security: 'refused';
      readonly code: 'unauthenticated' | 'forbidden';
      readonly credential: string;
    })
  | (Place & {
      readonly security: 'login.failed';
      readonly provider: string;
      readonly code: string;
      readonly reason?: string;
    });

const OTHERS: Kind = { security: 'refused', code: 'unauthenticated', address: 'others', credential: 'several' };

const MESSAGES = { refused: 'refused', 'login.failed': 'a login failed' };

/** Why a login failed; holds no secret. */
export type LoginFailure = Omit<Kind & { readonly security: 'login.failed' }, 'security' | 'address'>;

export class SecurityLog {
  readonly #log: Log;
  readonly #clients: ClientAddresses;
  readonly #counts = new Map<string, { readonly kind: Kind; more: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(log: Log, clients: ClientAddresses) {
    this.#log = log;
    this.#clients = clients;
    // The first of a kind is logged at once; those that follow are counted for this long.
    this.#timer = setInterval(() => this.#tell(), 60_000).unref();
  }

  /** Notes a request that was answered with an error of rights. */
  answered(request: IncomingMessage, code: ErrorCode): void {
    if (code !== 'unauthenticated' && code !== 'forbidden') return;
    this.#count({ security: 'refused', code, address: this.#networkOf(request), credential: credentialOf(request) });
  }

  loginFailed(request: IncomingMessage, why: LoginFailure): void {
    this.#count({ security: 'login.failed', address: this.#networkOf(request), ...why });
  }

  sessionsEnded(request: IncomingMessage, actor: string, count: number): void {
    const { ip: address } = this.#clients.of(request);
    this.#log.info({ security: 'session.end', actor, address, count }, 'sessions ended');
  }

  /** Logs what is counted, and stops. */
  close(): void {
    clearInterval(this.#timer);
    this.#tell();
  }

  #networkOf(request: IncomingMessage): string {
    return networkOf(this.#clients.of(request).ip ?? 'unknown');
  }

  #count(wanted: Kind): void {
    const name = Object.values(wanted).join(' ');
    const known = this.#counts.get(name);
    if (known !== undefined) {
      known.more++;
      return;
    }
    // Kinds counted separately in a window; all others are counted together.
    if (this.#counts.size < 1_000) {
      this.#counts.set(name, { kind: wanted, more: 0 });
      this.#say(wanted, 1);
      return;
    }
    const others = this.#counts.get('others') ?? { kind: OTHERS, more: 0 };
    others.more++;
    this.#counts.set('others', others);
  }

  #tell(): void {
    for (const { kind, more } of this.#counts.values()) if (more > 0) this.#say(kind, more);
    this.#counts.clear();
  }

  #say(kind: Kind, count: number): void {
    this.#log.info({ ...kind, count }, MESSAGES[kind.security]);
  }
}

/** What a request was sent with, as far as a log may show it. */
function credentialOf(request: IncomingMessage): string {
  const key = request.headers['x-api-key'] ?? queryParameters(request).get('key');
  if (typeof key === 'string' && key !== '') return isKeyShaped(key) ? `${shownPrefix(key)}…` : 'no key of ours';
  return /(?:^|;\s*)wl_session=./.test(request.headers.cookie ?? '') ? 'session' : 'none';
}
