import { NEAR_PERCENTS, type Project } from '../../control/types.ts';
import type { MonthUse } from '../../control/usage/allowance.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';

/**
 * Throws 403 when the organization or the project has stored all it may this month; before that, tells the host when it has half of
 * it and four fifths, and the admins of the organization by mail.
 */
export async function checkMonth(
  { control, mail, webhooks }: Pick<RouterContext, 'control' | 'mail' | 'webhooks'>,
  project: Project,
): Promise<void> {
  const { id, orgId } = project;
  const limit = 'events_per_month';
  for (const use of await control.allowance.uses(project)) {
    if (use.used >= use.limit) {
      webhooks?.limitReached({ org_id: orgId, project_id: id, limit });
      mail?.limitUsed({ use, percent: 100, project, resetsAt: nextMonth() });
      throw usedUp(use);
    }
    const percent = nearPercent(use);
    if (percent === null) continue;
    webhooks?.limitNear({ org_id: orgId, project_id: use.of === 'project' ? id : null, limit, percent });
    mail?.limitUsed({ use, percent, project, resetsAt: nextMonth() });
  }
}

function usedUp({ of, limit }: MonthUse): AppError {
  const who = of === 'project' ? 'an admin of the organization can raise it with `wl project set`' : 'the operator can raise it with `wl admin limits`'; // prettier-ignore
  return new AppError('limit_reached', `The ${limit.toLocaleString('en')} events of this month that the ${of} may store are used up.`, {
    resetsAt: nextMonth(),
    hints: [`The limit resets at ${nextMonth().slice(0, 16).replace('T', ' ')} UTC; ${who}.`],
  }); // prettier-ignore
}

/** How much of the limit is used, as the largest of the shares that are told; null: less than those. */
export const nearPercent = ({ used, limit }: MonthUse): (typeof NEAR_PERCENTS)[number] | null =>
  NEAR_PERCENTS.find((percent) => used * 100 >= limit * percent) ?? null;

/** When the limits of this month end, ISO 8601. */
export function nextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
}

/** Counts accepted events: for the month's limit at once, and for what `wl admin top` shows. */
export function countEvents(
  { control, load }: Pick<RouterContext, 'control' | 'load'>,
  project: Project,
  events: number,
): void {
  control.allowance.accept(project, events);
  load.events(project.id, events);
}
