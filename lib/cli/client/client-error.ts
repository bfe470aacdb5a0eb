/** What goes wrong between a command and the server, and what the user can do about it. */

/** The message says what is wrong, each hint what to do next. */
export class ClientError extends Error {
  readonly hints: readonly string[];

  constructor(message: string, hints: readonly string[] = []) {
    super(message);
    this.name = 'ClientError';
    this.hints = hints;
  }
}

/** Why no answer came. `refused`: nobody listens there; `broken`: the connection ended or was no HTTP. */
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
  /** Of the server's catalogue; null when something else answered, a proxy for example. */
  readonly code: string | null;
  /** In a query, in UTF-16 units. */
  readonly position: number | null;
  /** Of a stream of lines: what the server has stored of it, and the line it stood at. */
  readonly taken: { readonly accepted: number; readonly line: number } | null;

  constructor(
    message: string,
    { status, code, position, hints, taken }: Pick<ServerError, 'status' | 'code' | 'position' | 'hints' | 'taken'>,
  ) {
    super(message, hints);
    this.name = 'ServerError';
    this.status = status;
    this.code = code;
    this.position = position;
    this.taken = taken;
  }
}

/** The user pressed Ctrl-C, or the process was told to end. */
export class Interrupted extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`ended by ${signal}`);
    this.name = 'Interrupted';
    this.signal = signal;
  }

  /** As shells have it: 128 and the number of the signal. */
  get exitCode(): number {
    return this.signal === 'SIGINT' ? 130 : 143;
  }
}
