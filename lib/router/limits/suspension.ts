import type { Organization, Project, Suspension } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';

const ASK_OPERATOR = 'Contact the operator of this server, who can resume it.';

/** Throws 403 with the reason if the operator has suspended the organization: it makes no projects, keys or tokens then. */
export function refuseSuspended({ suspension }: Organization): void {
  if (suspension === null) return;
  throw new AppError('suspended', `This organization is suspended and can make nothing new: ${suspension.reason}`, {
    hints: [ASK_OPERATOR],
  });
}

/** Throws 403 with the reason if the operator or the organization has switched this off for the project. */
export function checkSuspension({ suspensions }: Project, what: Exclude<Suspension['what'], 'all'>): void {
  for (const suspension of suspensions) {
    if (suspension.what !== 'all' && suspension.what !== what) continue;
    const named = what === 'ingest' ? 'accepts no events' : 'answers no queries';
    const whose = suspension.of === 'organization' ? 'The organization of this project' : 'This project';
    throw new AppError('suspended', `${whose} is suspended and ${named}: ${suspension.reason}`, {
      hints: [
        suspension.by === 'operator'
          ? ASK_OPERATOR
          : 'Its organization suspended it and can resume it: wl project resume ID.',
      ],
    });
  }
}
