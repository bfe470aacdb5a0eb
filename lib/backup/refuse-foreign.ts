import { AppError } from '../base/errors.ts';
import { controlSchemaProblems } from '../control/process/control-schema.ts';
import { CONTROL_FILE } from '../control/database.ts';

/**
 * Throws AppError if the control database of a backup has what Windlass does not make: triggers and views would run with what is
 * read and written from now on. @param copy The folder with the database, which nobody has opened yet.
 */
export function refuseForeign(backup: string, copy: string): void {
  const problems = controlSchemaProblems(copy);
  if (problems.length === 0) return;
  throw new AppError('bad_request', `the backup ${backup} cannot be used: in ${CONTROL_FILE}, ${problems.join('; ')}`, {
    hints: [
      'nothing was changed; restore a backup that has only what Windlass makes',
      'if you added that yourself, drop it from the database it came from, and back that up again',
    ],
  });
}
