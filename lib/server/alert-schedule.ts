/** Has alerts ask. Most services have none: then the code that asks, and sends to strangers by TLS, is not loaded. */
import { Recurring } from '../base/recurring.ts';
import type { RouterContext } from '../router/context.ts';

/** Returns what ends it. */
export function alertSchedule(context: RouterContext): () => Promise<void> {
  const { control, log } = context;
  let stop: (() => Promise<void>) | null = null;
  const looks = new Recurring({
    every: 1_000,
    act: async () => {
      if (stop !== null || !(await control.alerts.exist())) return;
      const { startAlerts } = await import('../router/alerts/start-alerts.ts');
      stop = startAlerts(context);
      looks.stop();
    },
    onTrouble: (error) => log.error({ err: error }, 'alerts cannot be looked up; it will be retried'),
  });
  looks.start();
  return async () => {
    await looks.close();
    await stop?.();
  };
}
