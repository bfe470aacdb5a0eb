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
