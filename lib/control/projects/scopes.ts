import { AppError } from '../../base/errors.ts';
import { SCOPES, type Scope } from '../types.ts';

/** The given scopes, each once, in the order of SCOPES. Throws AppError `bad_request` if there is none or one is unknown. */
export function checkScopes(names: readonly string[]): readonly Scope[] {
  const unknown = names.find((name) => !SCOPES.some((scope) => scope === name));
  if (unknown !== undefined) {
    throw new AppError('bad_request', `unknown scope "${unknown}"`, { hints: [`scopes are ${SCOPES.join(', ')}`] });
  }
  if (names.length === 0) {
    throw new AppError('bad_request', 'a token needs at least one scope', {
      hints: [`scopes are ${SCOPES.join(', ')}`],
    });
  }
  return SCOPES.filter((scope) => names.includes(scope));
}
