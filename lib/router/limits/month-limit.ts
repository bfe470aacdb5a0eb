import type { Project } from '../../control/types.ts';
import { AppError } from '../../base/errors.ts';
import type { RouterContext } from '../context.ts';

/** Throws 403 when the organization has stored all it may this month. */
export async function checkMonth(
  { control, webhooks }: Pick<RouterContext, 'control' | 'webhooks'>,
  project: Project,
): Promise<void> {
  const remaining = await control.allowance.remaining(project.orgId);
  if (remaining === null || remaining > 0) return;
  webhooks?.limitReached({ org_id: project.orgId, project_id: project.id, limit: 'events_per_month' });
  throw new AppError('limit_reached', "The organization's events of this month are used up.", {
    hints: ['The limit resets on the first of the month (UTC); the operator can raise it with `wl admin limits`.'],
  });
}

/** Counts accepted events: for the month's limit at once, and for what `wl admin top` shows. */
export function countEvents(
  { control, load }: Pick<RouterContext, 'control' | 'load'>,
  { id, orgId }: Project,
  events: number,
): void {
  control.allowance.accept(orgId, events);
  load.events(id, events);
}
