import type { Project, Suspension } from '../control/types.ts';
import { AppError } from '../errors.ts';

/** Throws 403, with the reason, for a project of which the operator has switched this off. */
export function checkSuspension({ suspended }: Project, what: Exclude<Suspension['what'], 'all'>): void {
  if (suspended === null || (suspended.what !== 'all' && suspended.what !== what)) return;
  const named = what === 'ingest' ? 'takes no events' : 'answers no queries';
  throw new AppError('suspended', `This project is suspended and ${named}: ${suspended.reason}`, {
    hints: ['The operator of this server can say more, and ends it.'],
  });
}
