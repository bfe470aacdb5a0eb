/** The program of a tenant that sends as many queries as it can: in a process of its own, as reading its answers takes time, too. */
import { serveParent } from '../child.ts';
import { Asker } from './asker.ts';

export type AttackKind = 'heavy' | 'long' | 'expressions' | 'lists';

/** Begins an attack, answered once it is in full swing; or ends it, answered once the last answers have come. */
export type AttackRequest =
  | { readonly op: 'begin'; readonly port: number; readonly key: string; readonly kind: AttackKind }
  | { readonly op: 'end' };

/** Milliseconds until an attack is in full swing. */
const SETTLE = 500;

/** All rows on one page. */
const MOST_ROWS = 10_000;

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
/** Each of their segments, or merging what was found in them, takes up to seconds. */
const LONG = [
  `* | ${RANGE} | unique user_id, unique session_id, unique insert_id by event_properties.path, event_properties.country`,
  `* | ${RANGE} | unique user_id, unique session_id, unique device_id, unique insert_id`,
  `* | ${RANGE} | mode event_properties.path by user_id`,
  `* | ${RANGE} | count by ${Array.from({ length: 31 }, (_, nth) => `user.trait_${nth}`).join(', ')}`,
];
const EXPRESSIONS = 200;

const expressions = (salt: number): string =>
  Array.from({ length: EXPRESSIONS }, (_, nth) => `event_properties.path ~ "(a|b)*x${salt}_${nth}.*y"`).join(' or ');

/** Queries by their number, a function for each connection. */
const QUESTIONS: Readonly<Record<AttackKind, readonly ((nth: number) => string)[]>> = {
  heavy: HEAVY.map((q) => () => q),
  long: [...LONG, ...LONG].map((q) => () => q),
  expressions: [0, 1].map((first) => (nth) => `* | ${RANGE} | where ${expressions(2 * nth + first)} | count`),
  lists: [() => `* | ${RANGE} | list | limit 10000`],
};

const attack = { over: false };
let loops: readonly Promise<void>[] = [];

serveParent<AttackRequest, object>(
  async (request) => {
    if (request.op === 'end') {
      attack.over = true;
      await Promise.all(loops);
      return {};
    }
    const { port, key, kind } = request;
    loops = QUESTIONS[kind].map((question) => ask(port, key, question));
    await Promise.race([...loops, new Promise((resolve) => setTimeout(resolve, SETTLE))]);
    return {};
  },
  () => (attack.over = true),
);

async function ask(port: number, key: string, question: (nth: number) => string): Promise<void> {
  const asker = await Asker.open(port);
  for (let nth = 0; !attack.over; nth++) await asker.query(key, question(nth), MOST_ROWS).catch(expectTimeout);
  asker.close();
}

/** A heavy query may run out of time. */
function expectTimeout(error: unknown): void {
  if (!(error instanceof Error) || !error.message.startsWith('504')) throw error;
}
