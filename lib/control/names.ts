import { AppError } from '../errors.ts';

const MAX_NAME_LENGTH = 200;

/** The name of an organization, project or token, trimmed. Throws AppError `bad_request`. */
export function checkName(name: string, what: 'organization' | 'project' | 'token'): string {
  const trimmed = name.trim();
  if (trimmed === '') throw new AppError('bad_request', `the name of the ${what} is empty`);
  if (trimmed.length > MAX_NAME_LENGTH) {
    throw new AppError('bad_request', `the name of the ${what} has more than ${MAX_NAME_LENGTH} characters`);
  }
  // Names are printed on terminals and in logs.
  if (/\p{Cc}/u.test(trimmed)) throw new AppError('bad_request', `the name of the ${what} holds a control character`);
  return trimmed;
}
