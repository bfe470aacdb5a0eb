import type { Project, Suspension } from '../control/types.ts';
import { AppError } from '../errors.ts';

/** Throws 403, with the reason, for a project of which the operator or the organization has switched this off. */
export function checkSuspension({ suspensions }: Project, what: Exclude<Suspension['what'], 'all'>): void {
  for (const suspension of suspensions) {
    if (suspension.what !== 'all' && suspension.what !== what) continue;
    const named = what === 'ingest' ? 'takes no events' : 'answers no queries';
    throw new AppError('suspended', `This project is suspended and ${named}: ${suspension.reason}`, {
      hints: [
        suspension.by === 'operator'
          ? 'The operator of this server can say more, and ends it.'
          : 'Its organization has suspended it, and ends it: wl project resume ID.',
      ],
    });
  }
}
