/** Requests on their way into ClickHouse: those of a project together while one before them is stored, in order. */
import { type AppendAnswer, AppError, monotonic, type StoreStats, tooManyProfiles } from '../../../../lib/seam.ts';
import type { ClickHouse } from '../client.ts';
import { EVENTS, IDENTITIES } from '../schema.ts';
import { arrivalsOf, Fold, namedBy } from './fold.ts';
import type { ParsedRequest } from './parse-request.ts';
import { type Deadline, type ProjectLock, reasonOf } from './project-lock.ts';
import { readStored } from './stored.ts';
import { TableInserts } from './table-inserts.ts';

interface Waiting {
  readonly request: ParsedRequest;
  /** By `monotonic()`. */
  readonly since: number;
  readonly patience: NodeJS.Timeout;
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Turn {
  readonly first: number;
  readonly deadline: Deadline;
}

export interface QueueOptions {
  readonly clickHouse: ClickHouse;
  /** Ids of inserts begin with it. */
  readonly run: string;
  readonly lock: ProjectLock;
  /** Called for each request that was stored, with its counters. */
  readonly onStored: (project: string, request: ParsedRequest) => void;
}

export class ProjectQueues {
  readonly #options: QueueOptions;
  readonly #events: TableInserts;
  readonly #identities: TableInserts;
  /** Projects at work, with the requests that wait. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #working = new Set<Promise<void>>();
  /** Not answered yet, the oldest first. */
  readonly #unanswered = new Set<Waiting>();
  #inserts = 0;
  #insertMs = 0;
  #failures = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#events = new TableInserts(options.clickHouse, EVENTS, options.run);
    this.#identities = new TableInserts(options.clickHouse, IDENTITIES, options.run);
  }

  /** Resolves when the request is stored. Rejects with AppError; nothing of it need be stored then, but it may be. */
  add(project: string, request: ParsedRequest): Promise<AppendAnswer> {
    return new Promise((resolve, reject) => {
      const answered = <T>(tell: (answer: T) => void) => (answer: T): void => {
        this.#unanswered.delete(waiting);
        tell(answer);
      }; // prettier-ignore
      const waiting: Waiting = {
        request,
        since: monotonic(),
        resolve: answered(resolve),
        reject: answered(reject),
        // How long a request may wait for those before it.
        patience: setTimeout(() => this.#giveUp(project, waiting), 10_000),
      };
      this.#unanswered.add(waiting);
      const queue = this.#queues.get(project);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(project, [waiting]);
      const work = this.#work(project).finally(() => this.#working.delete(work));
      this.#working.add(work);
    });
  }

  /** Rows on their way with the age of the oldest in seconds, and the inserts so far. */
  get stats(): Pick<StoreStats, 'pendingRows' | 'pendingSeconds' | 'seals' | 'sealSeconds' | 'sealFailures'> {
    const [oldest] = this.#unanswered;
    return {
      pendingRows: [...this.#unanswered].reduce((sum, { request }) => sum + request.items.length, 0),
      pendingSeconds: oldest === undefined ? 0 : (monotonic() - oldest.since) / 1_000,
      seals: this.#inserts,
      sealSeconds: this.#insertMs / 1_000,
      sealFailures: this.#failures,
    };
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Stores what waits for a project, until nothing does. Never rejects: who waits is told. */
  async #work(project: string): Promise<void> {
    for (let group = this.#take(project); group.length > 0; group = this.#take(project)) {
      const requests = group.map(({ request }) => request);
      // Those who were told already do not hear it.
      const refuse = (error: unknown): void => {
        for (const { reject } of group) reject(reasonOf(error));
      };
      try {
        await this.#options.lock.hold(project, arrivalsOf(requests), async (first, deadline) => {
          try {
            await this.#store(project, group, { first, deadline });
          } catch (error) {
            refuse(error); // they need not wait until an insert is over
            throw error;
          }
        });
      } catch (error) {
        refuse(error);
      }
    }
    this.#queues.delete(project);
  }

  /** The next requests to be stored together; at least one if any waits. */
  #take(project: string): readonly Waiting[] {
    const queue = this.#queues.get(project) ?? [];
    let rows = 0;
    // Rows stored together, unless one request has more.
    const past = queue.findIndex(({ request }, i) => (rows += request.items.length) > 20_000 && i > 0);
    const group = queue.splice(0, past < 0 ? queue.length : past);
    for (const { patience } of group) clearTimeout(patience);
    return group;
  }

  /**
   * Requests that change more profiles together than may be in memory are stored in halves; one that does alone is refused.
   * Profiles first: where only they were stored, the retry of the events finds no ids, and sets the same again.
   */
  async #store(project: string, group: readonly Waiting[], { first, deadline }: Turn): Promise<void> {
    const requests = group.map(({ request }) => request);
    const since = Math.min(...requests.map(({ receivedAt }) => receivedAt));
    const stored = await readStored(this.#options.clickHouse, project, namedBy(requests), since);
    if (stored === null) {
      if (group.length === 1) return group[0]!.reject(tooManyProfiles());
      const half = group.length >> 1;
      await this.#store(project, group.slice(0, half), { first, deadline });
      return this.#store(project, group.slice(half), { first: first + arrivalsOf(requests.slice(0, half)), deadline });
    }
    const { events, identities, answers } = new Fold(project, stored, first).fold(requests);
    const begun = monotonic();
    try {
      await this.#identities.insert(identities, deadline);
      await this.#events.insert(events, deadline);
      this.#inserts++;
      this.#insertMs += monotonic() - begun;
    } catch (error) {
      this.#failures++;
      throw error;
    }
    for (const [i, { request, resolve }] of group.entries()) {
      this.#options.onStored(project, request);
      resolve(answers[i]!);
    }
  }

  #giveUp(project: string, waiting: Waiting): void {
    const queue = this.#queues.get(project);
    const place = queue?.indexOf(waiting) ?? -1;
    if (place < 0) return;
    queue?.splice(place, 1);
    waiting.reject(
      new AppError(
        'storage_unavailable',
        'The event store is too slow at the moment; nothing of this request was stored.',
        {
          hints: ['Wait and send the same request again.'],
          cause: 'earlier requests of the project were not done in time',
        },
      ),
    );
  }
}
