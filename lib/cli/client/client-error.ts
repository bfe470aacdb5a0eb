/** What goes wrong between a command and the server, and how the user can fix it. */

/** The message says what is wrong, each hint what to do next. */
export class ClientError extends Error {
  readonly hints: readonly string[];

  constructor(message: string, hints: readonly string[] = []) {
    super(message);
    this.name = 'ClientError';
    this.hints = hints;
  }
}

/** Why no answer came. `refused`: nobody listens; `broken`: the connection ended or was not HTTP. */
export type TransportTrouble = 'refused' | 'unknown-host' | 'timeout' | 'broken' | 'certificate';

/** No answer came at all. */
export class TransportError extends ClientError {
  readonly trouble: TransportTrouble;

  constructor(trouble: TransportTrouble, message: string, hints: readonly string[]) {
    super(message, hints);
    this.name = 'TransportError';
    this.trouble = trouble;
  }
}

/** The server answered with an error. */
export class ServerError extends ClientError {
  readonly status: number;
  /** From the server's catalogue; null if something else answered, such as a proxy. */
  readonly code: string | null;
  /** In a query, in UTF-16 units. */
  readonly position: number | null;
  /** For a stream of lines: what the server stored of it, and the line it reached. */
  readonly taken: { readonly accepted: number; readonly line: number } | null;
  /** Stored events that the request would remove, if it only lacks a confirmation. */
  readonly events: number | null;

  constructor(message: string, { status, code, position, hints, taken, events = null }: Told) {
    super(message, hints);
    this.name = 'ServerError';
    this.status = status;
    this.code = code;
    this.position = position;
    this.taken = taken;
    this.events = events;
  }
}

type Told = Pick<ServerError, 'status' | 'code' | 'position' | 'hints' | 'taken'> & { readonly events?: number | null };

/** Whether the server may have done what it was asked, although no answer of its own says so. */
export function isUncertain(error: ClientError): boolean {
  if (error instanceof TransportError) return error.trouble === 'timeout' || error.trouble === 'broken';
  return error instanceof ServerError && error.code === null && error.status >= 500; // of a proxy in between
}

/** The user pressed Ctrl-C, or the process was terminated. */
export class Interrupted extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`ended by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }

  /** As in shells: 128 plus the number of the signal. */
  get exitCode(): number {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}

export type KeyNeed = 'track' | 'import' | 'query' | 'privacy' | 'dashboards' | 'alerts' | 'organization' | 'operator';

interface Need {
  /** Completes "this command needs". */
  readonly kinds: string;
  readonly how: string;
  /** How to pass it on; default: `SET_KEY`. */
  readonly set?: string;
}

const ofScope = (scope: string, where = 'on the server'): Need => ({
  kinds: `a secret key (sk_) or an access token (aat_) with scope "${scope}"`,
  how: `Create a token ${where} with \`wl admin token create <project> --scopes ${scope}\`, or show the secret key with \`wl project get <id>\`.`,
});

const NEEDS: Readonly<Record<KeyNeed, Need>> = {
  track: {
    kinds: 'a public key (pk_), a secret key (sk_) or an access token (aat_) with scope "track"',
    how: 'Show a project’s keys with `wl project get <id>`, or create a token on the server with `wl admin token create <project> --scopes track`.',
  },
  import: ofScope('track'),
  query: ofScope('query'),
  privacy: ofScope('admin'),
  dashboards: ofScope('dashboards', 'in the console, or on the server'),
  alerts: {
    kinds: 'a secret key (sk_) or an access token (aat_) with the scopes "query" and "dashboards"',
    how: 'Create a token in the console, or on the server with `wl admin token create <project> --scopes query,dashboards`.',
  },
  organization: {
    kinds: 'the admin key of an organization (ak_)',
    how: 'It is shown once, at the first start or by `wl admin org create`. An owner can rotate it in the console, which ends the old one.',
  },
  operator: {
    kinds: 'an operator key (op_)',
    how: '`wl admin operator-key create NAME` makes one, on the machine of the service.',
    set: 'Set WINDLASS_OPERATOR_KEY to it, or WINDLASS_OPERATOR_KEY_FILE to the name of a file with it.',
  },
};

const SET_KEY = 'Set it with WINDLASS_API_KEY, --api-key or `wl config init`.';

/** Hints for a missing or wrong key. @param message What they stand below: kinds of keys that it names are not named again. */
export function keyHints(need: KeyNeed, message = ''): readonly string[] {
  const { kinds, how, set = SET_KEY } = NEEDS[need];
  return [...(message.includes(kinds) ? [] : [`This command needs ${kinds}.`]), how, set];
}
