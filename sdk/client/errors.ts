/** What goes wrong between a program and a Windlass server. */

/**
 * `refused`: the key or the address is wrong; nothing more is sent. `invalid`: the server cannot read it. `too_large`: one event
 * is. `full`: the queue is. `unreachable`, `busy`: it will be retried. `query`: a query was not answered.
 */
export type Trouble =
  'refused' | 'invalid' | 'too_large' | 'full' | 'unreachable' | 'busy' | 'query' | 'file' | 'usage';

export interface ErrorDetails {
  readonly trouble: Trouble;
  /** HTTP status of the answer; 0: there was none. */
  readonly status?: number;
  /** Number of events and identifies concerned. */
  readonly items?: number;
  /** The server's error code, such as `bad_query`. */
  readonly code?: string | undefined;
  /** What to do about it. */
  readonly hints?: readonly string[];
  /** Position in a query. */
  readonly position?: number | undefined;
  readonly cause?: unknown;
}

export class WindlassError extends Error implements ErrorDetails {
  readonly trouble: Trouble;
  readonly status: number;
  readonly items: number;
  readonly code: string | undefined;
  readonly hints: readonly string[];
  readonly position: number | undefined;

  constructor(message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.name = 'WindlassError';
    this.trouble = details.trouble;
    this.status = details.status ?? 0;
    this.items = details.items ?? 0;
    this.code = details.code;
    this.hints = details.hints ?? [];
    this.position = details.position;
  }
}

/** The error for an unsuccessful answer to events. */
export function troubleOf(status: number, items: number): WindlassError {
  const trouble = kindOf(status);
  return new WindlassError(`${MEANING[trouble]} (${status === 0 ? 'no answer' : status})`, { trouble, status, items });
}

type Answered = 'refused' | 'invalid' | 'too_large' | 'unreachable' | 'busy';

const MEANING: Readonly<Record<Answered, string>> = {
  refused: 'The server refuses this key or has no such path; nothing more is sent',
  invalid: 'The server cannot read what was sent; it was dropped',
  too_large: 'What was sent is too large; it is sent in parts, or dropped when it is one event',
  unreachable: 'The server cannot be reached; retrying',
  busy: 'The server is busy; retrying',
};

function kindOf(status: number): Answered {
  if (status === 400) return 'invalid';
  if (status === 413) return 'too_large';
  if (status === 429 || status === 503) return 'busy';
  return status > 400 && status < 500 && status !== 408 ? 'refused' : 'unreachable';
}
