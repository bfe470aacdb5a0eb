/**
 * Logs what an operator wants to know of an attack: failed logins, and how often requests were refused (401, 403), by address and
 * by the beginning of the key. Changes of rights or keys come from the audit trail (lib/server/service.ts). Never logs a secret:
 * of a key only the part that lists show, and nothing of other text, which may be a misplaced password.
 */
import type { IncomingMessage } from 'node:http';
import { isKeyShaped, shownPrefix } from '../../control/key-text.ts';
import type { ErrorCode } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ClientAddresses } from '../http/client-address.ts';
import { networkOf } from '../limits/network.ts';
import { queryParameters } from '../http/query-string.ts';

/** The first of a kind is logged at once; those that follow are counted for this long. Milliseconds. */
const WINDOW_MS = 60_000;

/** Kinds counted separately in a window; all others are counted together. */
const MAX_KINDS = 1_000;

type Refusal = 'unauthenticated' | 'forbidden';

interface Kind {
  readonly refusal: Refusal;
  /** IPv6: the /64. */
  readonly address: string;
  readonly credential: string;
}

const OTHERS: Kind = { refusal: 'unauthenticated', address: 'others', credential: 'several' };

export class SecurityLog {
  readonly #log: Log;
  readonly #clients: ClientAddresses;
  readonly #counts = new Map<string, { readonly kind: Kind; more: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor(log: Log, clients: ClientAddresses) {
    this.#log = log;
    this.#clients = clients;
    this.#timer = setInterval(() => this.#tell(), WINDOW_MS).unref();
  }

  /** Notes a request that was answered with an error of rights. */
  answered(request: IncomingMessage, code: ErrorCode): void {
    if (code !== 'unauthenticated' && code !== 'forbidden') return;
    const { ip } = this.#clients.of(request);
    this.#count({ refusal: code, address: networkOf(ip ?? 'unknown'), credential: credentialOf(request) });
  }

  /** Notes a failed login; `why` holds no secret. */
  loginFailed(request: IncomingMessage, why: Readonly<Record<string, string>>): void {
    this.#log.info({ security: 'login.failed', address: this.#clients.of(request).ip, ...why }, 'a login failed');
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

  #count(wanted: Kind): void {
    const name = `${wanted.refusal} ${wanted.address} ${wanted.credential}`;
    const known = this.#counts.get(name);
    if (known !== undefined) {
      known.more++;
      return;
    }
    if (this.#counts.size < MAX_KINDS) {
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

  #say({ refusal, address, credential }: Kind, count: number): void {
    this.#log.info({ security: 'refused', code: refusal, address, credential, count }, 'refused');
  }
}

/** What a request was sent with, as far as a log may show it. */
function credentialOf(request: IncomingMessage): string {
  const key = request.headers['x-api-key'] ?? queryParameters(request).get('key');
  if (typeof key === 'string' && key !== '') return isKeyShaped(key) ? `${shownPrefix(key)}…` : 'no key of ours';
  return /(?:^|;\s*)wl_session=./.test(request.headers.cookie ?? '') ? 'session' : 'none';
}
