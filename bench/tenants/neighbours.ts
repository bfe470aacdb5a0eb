/** What others notice of a tenant that sends as many queries as it can. */
import { Child } from '../child.ts';
import { median, quantile } from '../statistics.ts';
import { Asker } from './asker.ts';
import type { AttackKind, AttackRequest } from './attack.ts';
import type { TenantProject } from './projects.ts';

const RANGE = 'from 2024-01-01 to 2024-03-31';
const ROUNDS = 150;
const LARGE_ROUNDS = 60;
/** Of 150 the 99th percentile would be the second longest, which says more about the machine's disk. */
const TRACKS = 1_500;

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

/** `others`: small projects, and large ones whose questions are no small ones. */
export async function measureNeighbours(
  port: number,
  attacker: TenantProject,
  others: { readonly small: readonly TenantProject[]; readonly large: readonly TenantProject[] },
): Promise<Noticed[]> {
  const own = await Asker.open(port);
  const watch =
    (ask: (other: TenantProject) => Promise<number>, rounds = ROUNDS, projects = others.small): Watch =>
    async () => {
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) times.push(await ask(projects[round % projects.length]!));
      return times;
    };
  const question = watch(({ key }) => own.query(key, `* | ${RANGE} | count by event_properties.browser`));
  const large = watch(
    ({ key }) => own.query(key, `* | ${RANGE} | unique session_id by event_properties.path`),
    LARGE_ROUNDS,
    others.large,
  );
  const count = watch(({ key }) => own.query(key, `page_view | ${RANGE} | count by day`));
  const track = watch(({ key }) => own.track(key, { event_type: 'bench_touch', time: '2020-01-01T00:00:00Z' }), TRACKS);
  const noticed: Noticed[] = [];
  const besides = async (what: string, share: number, seen: Watch, kind: AttackKind): Promise<void> => {
    await seen();
    const alone = await seen();
    const attack = new Child<AttackRequest, object>('the attack', new URL('./attack.js', import.meta.url));
    await attack.request({ op: 'begin', port, key: attacker.key, kind });
    const beside = await seen();
    await attack.request({ op: 'end' });
    await attack.close();
    noticed.push({ what, share, alone: highOf(alone, share), beside: highOf(beside, share) });
  };
  await besides('questions beside 8 heavy ones', 0.95, question, 'heavy');
  await besides('large questions beside 8 long ones', 0.95, large, 'long');
  await besides('count beside two questions of 200 regular expressions', 0.95, count, 'expressions');
  await besides('/track beside lists of 10,000 rows in a loop', 0.99, track, 'lists');
  own.close();
  return noticed;
}

function highOf(times: readonly number[], share: number): { p50: number; high: number } {
  return { p50: median(times), high: quantile(times, share) };
}
