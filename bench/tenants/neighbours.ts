/** What others notice of a tenant that sends as many queries as it can. */
import { median, quantile } from '../statistics.ts';
import { Asker } from './asker.ts';
import type { TenantProject } from './projects.ts';

const RANGE = 'from 2024-01-01 to 2024-03-31';
const HEAVY = [
  `* | ${RANGE} | count by event_properties.path, event_properties.country | top 20`,
  `* | ${RANGE} | count by session_id | top 10`,
  `* | ${RANGE} | mode session_id by event_properties.country`,
  `inspect page_view | ${RANGE}`,
  `* | ${RANGE} | unique by event_properties.path | top 20`,
  `funnel page_view -> page_view -> click | ${RANGE} | by event_properties.browser`,
  `* | ${RANGE} | p95 event_properties.duration_ms by event_properties.path | top 20`,
  `paths from page_view | ${RANGE} | depth 5 | window 1 h | top 20`,
];
const EXPRESSIONS = 200;
const ROUNDS = 150;
/** Milliseconds until the attack is in full swing. */
const SETTLE = 500;

/** Milliseconds. */
export interface Noticed {
  readonly what: string;
  readonly alone: { readonly p50: number; readonly high: number };
  readonly beside: { readonly p50: number; readonly high: number };
  /** Which quantile `high` is. */
  readonly share: number;
}

/** Sends some requests, one after the other; milliseconds of each. */
type Watch = () => Promise<number[]>;

export async function measureNeighbours(
  port: number,
  attacker: TenantProject,
  others: readonly TenantProject[],
): Promise<Noticed[]> {
  const own = await Asker.open(port);
  const watch =
    (ask: (other: TenantProject) => Promise<number>): Watch =>
    async () => {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round++) times.push(await ask(others[round % others.length]!));
      return times;
    };
  const question = watch(({ key }) => own.query(key, `* | ${RANGE} | count by event_properties.browser`));
  const count = watch(({ key }) => own.query(key, `page_view | ${RANGE} | count by day`));
  const track = watch(({ key }) => own.track(key, { event_type: 'bench_touch', time: '2020-01-01T00:00:00Z' }));
  const expressions = (salt: number): string =>
    Array.from({ length: EXPRESSIONS }, (_, nth) => `event_properties.path ~ "(a|b)*x${salt}_${nth}.*y"`).join(' or ');
  const noticed: Noticed[] = [];
  const besides = async (
    what: string,
    share: number,
    seen: Watch,
    attacks: readonly ((nth: number) => string)[],
  ): Promise<void> => {
    await seen();
    const alone = await seen();
    const attack = await Attack.begin(port, attacker.key, attacks);
    const beside = await seen();
    await attack.end();
    noticed.push({ what, share, alone: highOf(alone, share), beside: highOf(beside, share) });
  };
  await besides(
    'questions beside 8 heavy ones',
    0.95,
    question,
    HEAVY.map((q) => () => q),
  );
  const regular = [0, 1].map(
    (first) => (nth: number) => `* | ${RANGE} | where ${expressions(2 * nth + first)} | count`,
  );
  await besides('count beside two questions of 200 regular expressions', 0.95, count, regular);
  await besides('/track beside lists of 10,000 rows in a loop', 0.99, track, [
    () => `* | ${RANGE} | list | limit 10000`,
  ]);
  own.close();
  return noticed;
}

function highOf(times: readonly number[], share: number): { p50: number; high: number } {
  return { p50: median(times), high: quantile(times, share) };
}

/** Queries that are sent again and again, each on its own connection. */
class Attack {
  #over = false;
  readonly #loops: Promise<void>[] = [];

  static async begin(port: number, key: string, questions: readonly ((nth: number) => string)[]): Promise<Attack> {
    const attack = new Attack();
    for (const question of questions) attack.#loops.push(attack.#run(await Asker.open(port), key, question));
    await new Promise((resolve) => setTimeout(resolve, SETTLE));
    return attack;
  }

  /** Resolves once the last answers have come. */
  async end(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#loops);
  }

  async #run(asker: Asker, key: string, question: (nth: number) => string): Promise<void> {
    for (let nth = 0; !this.#over; nth++) await asker.query(key, question(nth)).catch(expectTimeout);
    asker.close();
  }
}

/** A heavy query may run out of time. */
function expectTimeout(error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith('504')) throw error;
}
