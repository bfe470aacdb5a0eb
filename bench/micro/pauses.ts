/**
 * How long queries of 16 KiB that are written to be slow to read hold the thread that serves requests: the longest pause of the event
 * loop by kind of query, in time and in processor time, which other programs do not lengthen; and how long a short query
 * of another organization took meanwhile.
 *
 *   node dist/bench/micro/pauses.js [seed] [queries]
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../lib/base/config/config.ts';
import { silentLog } from '../../lib/base/log.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { startService } from '../../lib/server/service.ts';
import { Random } from '../differential/random.ts';
import { WORDS } from '../differential/world.ts';
import { removeFolder, temporaryFolder } from '../folder.ts';

const BYTES = 16 * 1_024;
const AT_ONCE = 8;
const NEIGHBOUR_EVERY = 25; // milliseconds

type Make = (random: Random) => string;

/** As many units as fit, joined, between a beginning and an end. */
function filled(begin: string, unit: (nth: number) => string, between: string, end = ''): string {
  let text = begin;
  for (let nth = 0; ; nth++) {
    const next = (nth === 0 ? '' : between) + unit(nth);
    if (Buffer.byteLength(text + next + end) > BYTES) return text + end;
    text += next;
  }
}

const patterns =
  (make: (random: Random, nth: number) => string): Make =>
  (random) => {
    const field = random.one(['event_type', '_path', 'event_properties.plan']);
    return filled(
      `"${'a'.repeat(random.whole(1, 3_000))}" | where `,
      (nth) => `${field} ~ "${make(random, nth)}"`,
      ' or ',
    );
  };
const upTo1000 = (begin: string, unit: string, end: string, nth: number): string =>
  (begin + unit.repeat(Math.floor((990 - begin.length - end.length) / unit.length)) + end + nth).slice(0, 1_000);

const KINDS: Readonly<Record<string, Make>> = {
  'counted repetition': patterns((random, nth) => `(?:a[ab]?[bc]?[ca]?){${1_000 - nth}}[${random.one(['xy', 'yz'])}]`),
  'nested counted repetition': patterns((_, nth) => `(?:(?:(?:a?){${10 + (nth % 3)}}){10}){${9 - (nth % 3)}}b`),
  'empty alternatives': patterns((_, nth) => upTo1000('', '^|', '', nth)),
  'nested groups': patterns((_, nth) => `${'(?:|'.repeat(150)}${nth}${')'.repeat(150)}`),
  'classes that ignore case': patterns((_, nth) => upTo1000('(?i)', '\\\\W|', '', nth)),
  'flags in flags': patterns((_, nth) => `(?i)(?:a?|${'(?-i:a?|'.repeat(90)}${nth}${')'.repeat(90)}){3}`),
  'wide classes': patterns((_, nth) => upTo1000('(?i)[', '\\\\pL\\\\PN', ']', nth)),
  'many short patterns': patterns((random, nth) => `(a|b)*x${nth}.*${random.one(['y', 'z'])}`),
  'a pattern that is none': patterns((_, nth) => `${'('.repeat(900)}${nth}`),
  alternatives: (random) => filled('* | where ', (nth) => `_os ${random.one(['=', '!=', '>'])} "${nth}"`, ' or '),
  'different properties': () => filled('* | where ', (nth) => `event_properties.${nth.toString(36)} = 1`, ' or '),
  'a list': () => filled('* | where _os in (', (nth) => `${nth}`, ',', ')'),
  'nested parentheses': (random) => `* | where ${'('.repeat(random.whole(60, 8_000))}`,
  'nested conditions': (random) => {
    const depth = random.whole(20, 60);
    return filled(
      '* | where ',
      (nth) => `${'('.repeat(depth)}_os="${nth}" or _os="b" and _os="c"${')'.repeat(depth)}`,
      ' and ',
    );
  },
  negations: () => filled('* | where ', (nth) => `${'not '.repeat(60)}_os="${nth}"`, ' and '),
  'a long word': (random) => `* | where ${random.one(['a', 'é', '漢', 'a-']).repeat(5_000)} = 1`,
  'a long name': (random) => `"${random.one(['a', '漢', '\\\\']).repeat(5_000)}" | count by day`,
  'a mistake at the end': (random) => `"${random.one(['a', '漢', 'a\u0301']).repeat(5_000)}" | xx`,
  stages: () => filled('* ', (nth) => `| where _os="${nth}"`, ' '),
  metrics: () => filled('* | ', (nth) => `sum event_properties.${nth}`, ', '),
  'a long column': (random) => `* | count | sort ${'ab'.repeat(random.whole(1_000, 8_000))}`,
  'times of a zone': (random) => {
    const zone = random.one(['America/New_York', 'Europe/Berlin', 'Asia/Tehran', 'Africa/Casablanca', 'Pacific/Apia']);
    return filled(`* | tz "${zone}" | where `, (nth) => `time > "${1_800 + nth}-01-01"`, ' or ');
  },
  'times in a short text': (random) => {
    const zone = random.one(['Europe/Oslo', 'America/Chicago', 'Asia/Tokyo', 'Africa/Cairo', 'Australia/Sydney']);
    const first = random.whole(1_800, 2_200);
    return `* | tz "${zone}" | where ${Array.from({ length: 60 }, (_, nth) => `time > "${first + 4 * nth}-01-01"`).join(' or ')}`;
  },
  'buckets of centuries': (random) => `* | count by ${random.one(['week', 'month', 'year'])} | from 1800-01-01 to 2600-01-01 | tz "${random.one(['Europe/Paris', 'Asia/Kabul'])}"`, // prettier-ignore
  'a funnel': () => filled('funnel a[', (nth) => `_os="${nth}"`, ' and ', '] -> b'),
  'excluded events': () => filled('funnel a -> b exclude ', (nth) => `e${nth}`, ', '),
  'a formula': () => filled('formula ', (nth) => `count(e${nth})`, '+'),
};

interface Target {
  readonly url: string;
  readonly key: string;
}

interface Started extends Target {
  /** The key of another organization. */
  readonly neighbour: string;
}

interface Seen {
  /** The longest pause since the last report, milliseconds; and the most processor time of one turn. */
  readonly pause: number;
  readonly cpu: number;
}

if (process.argv[2] === 'service') await serve();
else await report(Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 500));

async function report(seed: number, queries: number): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['service']);
  const [started] = (await once(child, 'message')) as [Started];
  const random = new Random(seed, WORDS);
  const kinds = Object.entries(KINDS);
  const each = Math.max(1, Math.round(queries / kinds.length));
  const events = Array.from({ length: 1_000 }, (_, nth) => ({ event_type: `e${nth % 7}`, user_id: `u${nth % 50}` }));
  await post(started, '/track', { events });
  await ask(started, '* | count');
  await seenBy(child);
  console.log(`seed ${seed}: the longest pause of the event loop, of ${each * kinds.length} queries\n`);
  console.log('kind'.padEnd(28), 'pause ms', 'of processor', 'slowest answer', 'neighbour', ' statuses');
  let worst: Seen = { pause: 0, cpu: 0 };
  for (const [name, make] of kinds) {
    const asked = Array.from({ length: each }, () => ({ q: make(random), explain: random.chance(0.3) }));
    const { slowest, neighbour, statuses } = await attack(started, asked);
    const seen = await seenBy(child);
    worst = { pause: Math.max(worst.pause, seen.pause), cpu: Math.max(worst.cpu, seen.cpu) };
    const figures = [seen.pause, seen.cpu, slowest, neighbour].map((ms) => ms.toFixed(0).padStart(9)).join(' ');
    console.log(name.padEnd(28), figures, ` ${[...statuses].join(' ')}`);
  }
  console.log(
    `\nlongest pause: ${worst.pause.toFixed(0)} ms, ${worst.cpu.toFixed(0)} ms of processor time (wanted: 50)`,
  );
  child.kill();
}

async function attack(of: Started, asked: { q: string; explain: boolean }[]) {
  const statuses = new Set<number>();
  const state = { left: asked.length };
  let [slowest, neighbour] = [0, 0];
  const attacker = async (): Promise<void> => {
    for (let next = asked.pop(); next !== undefined; next = asked.pop()) {
      const begun = performance.now();
      statuses.add(await ask(of, next.q, next.explain));
      slowest = Math.max(slowest, performance.now() - begun);
      state.left--;
    }
  };
  const attackers = Promise.all(Array.from({ length: AT_ONCE }, attacker));
  while (state.left > 0) {
    const begun = performance.now();
    await ask({ url: of.url, key: of.neighbour }, 'e1 | count');
    neighbour = Math.max(neighbour, performance.now() - begun);
    await sleep(NEIGHBOUR_EVERY);
  }
  await attackers;
  return { slowest, neighbour, statuses };
}

function ask(of: Target, q: string, explain = false): Promise<number> {
  return post(of, '/query', { q, explain });
}

async function post({ url, key }: Target, path: string, body: object): Promise<number> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

async function seenBy(child: ChildProcess): Promise<Seen> {
  child.send('report');
  const [seen] = (await once(child, 'message')) as [Seen];
  return seen;
}

/** The service, which looks at its event loop every millisecond. */
async function serve(): Promise<void> {
  const folder = temporaryFolder();
  process.once('exit', () => removeFolder(folder));
  const settings = {
    WINDLASS_DATA: folder,
    WINDLASS_ADDR: '127.0.0.1:0',
    WINDLASS_METRICS_ADDR: '127.0.0.1:0',
    WINDLASS_QUERIES_PER_MINUTE: '0',
  };
  const service = await startService({ config: readConfig(settings), log: silentLog() });
  let [pause, cpu, at, used] = [0, 0, performance.now(), usedByThread()];
  setInterval(() => {
    const [now, usedNow] = [performance.now(), usedByThread()];
    pause = Math.max(pause, now - at);
    cpu = Math.max(cpu, usedNow - used);
    [at, used] = [now, usedNow];
  }, 1);
  process.on('message', () => {
    process.send?.({ pause, cpu });
    [pause, cpu] = [0, 0];
  });
  process.once('disconnect', () => process.exit());
  process.once('SIGTERM', () => void service.close().then(() => process.exit()));
  const control = await ControlDatabase.open(folder, { secret: null });
  const { organization } = await control.organizations.create('Neighbour');
  const { secretKey } = await control.projects.create(organization.id, 'Neighbour', { name: 'bench', ip: null });
  await control.close();
  process.send?.({ url: service.url, key: service.defaults?.secretKey, neighbour: secretKey });
}

/** Processor time of this thread, milliseconds. Node tells it from 23.9 on. */
function usedByThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
