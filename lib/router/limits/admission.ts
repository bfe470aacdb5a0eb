/** How many queries run at once, of a project and of an organization: a busy one delays only itself. */
import { AppError } from '../../base/errors.ts';
import { ORGANIZATION_SHARE } from '../../base/project.ts';
import { TaskTurns } from '../../base/task-turns.ts';

export class Admission extends TaskTurns {
  /** Runs `concurrency` queries of a project at once (0: any number); more wait up to `patience` milliseconds. */
  constructor(concurrency: number, patience: number) {
    const most = concurrency === 0 ? Infinity : concurrency;
    super({
      atOnce: { project: most, organization: most * ORGANIZATION_SHARE },
      waiting: { project: 256 }, // queries of a project that may wait. More would only be refused later
      patience,
      refusal: () =>
        new AppError(
          'rate_limited',
          `${concurrency} queries of this project, or ${ORGANIZATION_SHARE} times as many of its organization, are running already.`,
          { hints: ['Send queries one after another, or wait for the seconds in Retry-After.'] },
        ),
    });
  }
}
