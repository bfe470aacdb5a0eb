import { AppError, codeOf } from '../../base/errors.ts';

/** Classes and codes of PostgreSQL that pass, or that its operator can end: no connection, no resources, shutting down. */
const AWAY = /^(?:08|53|57P|58)|^(?:25006|55P03|57014)$/;
const REFUSED = /^(?:28|3D000|42501|3F000)/;
/** A text has the character U+0000, which PostgreSQL keeps in none. */
const NULL_CHARACTER = '22021';
const NETWORK = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT)/;

/** An AppError for what an operator can fix, or who sent a text; everything else stays the bug it is. */
export function postgresError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof AppError) return error;
  const code = codeOf(error);
  if (REFUSED.test(code)) {
    return new AppError('storage_unavailable', `the control database refuses (${code}): ${error.message}`, {
      hints: ['check user, password, database and schema in WINDLASS_CONTROL, and what that user may do'],
    });
  }
  if (code === NULL_CHARACTER) {
    return new AppError('bad_request', 'a text or id holds the character U+0000, which cannot be stored', {
      hints: ['leave the character out'],
    });
  }
  const lost = /timeout|terminated|not queryable|closed|ended|invalid response/i.test(error.message) && code === '';
  if (!AWAY.test(code) && !NETWORK.test(code) && !lost) return error;
  return new AppError('storage_unavailable', `the control database does not answer (${code || error.message})`, {
    hints: [
      'try again in a moment; the operator should check that PostgreSQL is running and that WINDLASS_CONTROL is right',
    ],
  });
}
