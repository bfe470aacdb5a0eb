import type { Project, Suspension } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';

/** Throws 403 with the reason if the operator or the organization has switched this off for the project. */
export function checkSuspension({ suspensions }: Project, what: Exclude<Suspension['what'], 'all'>): void {
  for (const suspension of suspensions) {
    if (suspension.what !== 'all' && suspension.what !== what) continue;
    const named = what === 'ingest' ? 'accepts no events' : 'answers no queries';
    throw new AppError('suspended', `This project is suspended and ${named}: ${suspension.reason}`, {
      hints: [
        suspension.by === 'operator'
          ? 'Contact the operator of this server, who can resume it.'
          : 'Its organization suspended it and can resume it: wl project resume ID.',
      ],
    });
  }
}
