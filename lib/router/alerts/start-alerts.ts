/** Has alerts ask with the services of the endpoints. */
import { AppError } from '../../base/errors.ts';
import { monotonic } from '../../base/monotonic.ts';
import type { Project } from '../../control/types.ts';
import { localPath } from '../auth/local-path.ts';
import type { RouterContext } from '../context.ts';
import { Deadline } from '../http/deadline.ts';
import { checkSuspension } from '../limits/suspension.ts';
import { askDashboard, askFor } from './ask.ts';
import { AlertRunner } from './runner.ts';
import { AlertTeller } from './teller.ts';

/** Returns what stops them. */
export function startAlerts(context: RouterContext): () => Promise<void> {
  const { config, control, log, mail, publicUrl, queryRate } = context;
  const running = new Set<Deadline>();
  const inTime = async <T>(project: Project, ask: (by: { project: Project; deadline: Deadline }) => Promise<T>): Promise<T> => {
    checkSuspension(project, 'queries');
    const deadline = new Deadline(monotonic(), config.queryTimeout, null);
    running.add(deadline);
    try {
      return await ask({ project, deadline });
    } finally {
      running.delete(deadline);
      deadline.end();
    }
  };
  const runner = new AlertRunner({
    ...{ control, log, lease: 5 * config.queryTimeout + 300_000 },
    pageUrl: (path) => new URL(localPath(publicUrl(), path), publicUrl()).href,
    asking: {
      query: (project, asked) => inTime(project, (by) => askFor(context, by, asked)),
      dashboard: (project, id) => inTime(project, (by) => askDashboard(context, by, id)),
      wait: (project) => queryRate.wait(project),
    },
  });
  const teller = new AlertTeller({ control, mail, log, allowPrivate: config.alertPrivate, pause: config.webhookPause });
  if (config.queries) runner.start();
  teller.start();
  return async () => {
    const closed = [runner.close(), teller.close()];
    for (const deadline of running) deadline.cancel(new AppError('shutting_down', 'The service is shutting down.'));
    await Promise.all(closed);
  };
} // prettier-ignore
