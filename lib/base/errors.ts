/**
 * The catalogue of errors. A user's mistake or a temporary problem is an `AppError`: plain data that crosses threads and is
 * rendered once, in lib/router. Anything else thrown is our bug: a 500 with an id that is also in the log.
 */

/** Every error code with its HTTP status. docs/http-api.md lists the same codes; a test compares the two. */
export const ERROR_STATUS = {
  bad_request: 400,
  bad_json: 400,
  bad_encoding: 400,
  batch_too_large: 400,
  bad_query: 400,
  not_available: 400,
  query_too_large: 400,
  unauthenticated: 401,
  forbidden: 403,
  limit_reached: 403,
  suspended: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  rate_limited: 429,
  overloaded: 429,
  internal: 500,
  storage_unavailable: 503,
  shard_damaged: 503,
  feature_disabled: 503,
  login_unavailable: 503,
  shutting_down: 503,
  query_timeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** An error as data: what went wrong, where (`position`: offset in UTF-16 units of the query), and what to do next. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly message: string;
  readonly position?: number;
  readonly hints?: readonly string[];
  /** The field of a body that is wrong, as the body names it: a form shows the message there. */
  readonly field?: string;
  /** Stored events that would be removed, for a `conflict` that whoever asks can confirm. */
  readonly events?: number;
  /** When a `limit_reached` ends, ISO 8601. */
  readonly resetsAt?: string;
  /** Detail for the operator's log; never part of an answer. */
  readonly cause?: string;
  /** The disk failed a file of one project: maybe no other. Never part of an answer. */
  readonly ofProject?: boolean;
}

/** What went wrong first, where closing what was in `using` failed too. */
export function firstOf(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? firstOf(error.suppressed) : error;
}

/** The code that Node, SQLite or a library gave an error, such as ENOENT; '' for one without. */
export function codeOf(failure: unknown): string {
  const error = firstOf(failure);
  if (!(error instanceof Error && 'code' in error)) return '';
  return error.code === '' ? codeOfRemoval(error) : String(error.code);
}

/** Codes of what a disk, or the lack of descriptors, may do to SQLite and to files: whoever runs the service can fix it. */
const OF_DISK =
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|PROTOCOL)|^E(NOSPC|IO|DQUOT|ROFS|MFILE|NFILE|ACCES|FBIG)$|^ERR_WORKER_INIT_FAILED$/;

/** The code of an error that the disk, or the lack of descriptors, has caused; null for any other. */
export function codeOfDisk(failure: unknown): string | null {
  const code = codeOf(failure);
  return OF_DISK.test(code) ? code : null;
}

/** Of Node's `rmSync`, which since 24 quotes the system where it knows no code: `, Unknown error: Read-only file system '/data'`. */
function codeOfRemoval({ message }: Error): string {
  return REMOVALS.get(/^, Unknown error: (.+?) '/.exec(message)?.[1] ?? '') ?? '';
}

const REMOVALS: ReadonlyMap<string, string> = new Map([
  ['Read-only file system', 'EROFS'],
  ['Input/output error', 'EIO'],
  ['No space left on device', 'ENOSPC'],
  ['Disk quota exceeded', 'EDQUOT'],
  ['Too many open files', 'EMFILE'],
  ['Too many open files in system', 'ENFILE'],
]);

/** What anything thrown says. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A user's mistake, or a trouble that has a way out. Throw it inside a thread; send `data` between threads. */
export class AppError extends Error {
  readonly data: ErrorData;

  constructor(code: ErrorCode, message: string, extra: Omit<ErrorData, 'code' | 'message'> = {}) {
    super(message);
    this.name = 'AppError';
    this.data = { code, message, ...extra };
  }

  /** The error that `data` describes, after crossing threads. */
  static from(data: ErrorData): AppError {
    const { code, message, ...extra } = data;
    return new AppError(code, message, extra);
  }
}

/** Not the disk's doing: others hold the database, or descriptors are lacking. */
const OF_OTHERS = /^(?:SQLITE_(?:BUSY|LOCKED|PROTOCOL)|E[MN]FILE$|ERR_)/;

/** Whether an error of Node or SQLite says that a disk is full, fails or may not be written. */
export function isOfDisk(error: unknown): boolean {
  const code = codeOfDisk(error);
  return code !== null && !OF_OTHERS.test(code);
}
