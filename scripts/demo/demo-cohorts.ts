/** The cohorts of the demo project, those that others name first. */
export const DEMO_COHORTS: ReadonlyMap<string, { readonly where: string; readonly description: string }> = new Map([
  ['buyers', { where: 'did(purchase) in last 30d', description: 'Paid in the last 30 days' }],
  [
    'quiet buyers',
    { where: 'cohort "buyers" and not did(task_moved) in last 7d', description: 'Paid, and moved no task for a week' },
  ],
]);
