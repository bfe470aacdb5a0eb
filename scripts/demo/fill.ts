/** Fills an empty project with the demo's events through the public API, as a server would on behalf of clients. */
import { makeDemo } from './demo-data.ts';
import { DAY } from './calendar.ts';
import { DEMO_COHORTS } from './demo-cohorts.ts';

/** A running service and a project in it. */
export interface DemoTarget {
  /** `http://host:port` */
  readonly host: string;
  /** `sk_…` */
  readonly secretKey: string;
  /** Now, milliseconds since the epoch. */
  readonly now: number;
}

export interface DemoFilled {
  /** Zero if the project already had events: then nothing was sent. */
  readonly events: number;
  /** Visitors too. Each has a device of their own. */
  readonly people: number;
  /** Those with an account. */
  readonly users: number;
}

/** Twice the default range of dashboards, and more: they compare the last 30 days with the 30 days before. */
const FILLED_DAYS = 63;

/** Events per piece of a stream. */
const PIECE = 2_000;

/** Throws with the service's message if it refuses a request. */
export async function fillDemo(target: DemoTarget): Promise<DemoFilled> {
  if (!(await isEmpty(target))) return { events: 0, people: 0, users: 0 };
  const today = Math.floor(target.now / DAY) * DAY;
  const { events, identities } = makeDemo(today - (FILLED_DAYS - 1) * DAY, target.now, FILLED_DAYS);
  // Profiles first: plans that are sent with purchases come later and stay.
  await sendLines(target, '/identify', identities);
  await sendLines(target, '/track', events);
  for (const [name, cohort] of DEMO_COHORTS) {
    const body = JSON.stringify(cohort);
    await send(target, { method: 'PUT', path: `/cohorts/${encodeURIComponent(name)}`, type: 'application/json', body });
  }
  const devices = new Set(events.map(({ device_id }) => device_id));
  return { events: events.length, people: devices.size, users: identities.length };
}

/** Considers events of all time. */
async function isEmpty(target: DemoTarget): Promise<boolean> {
  const body = JSON.stringify({ q: '* | last 100y | count', format: 'csv' });
  const csv = await send(target, { path: '/query', type: 'application/json', body });
  return csv.split('\r\n')[1] === '0';
}

async function sendLines(target: DemoTarget, path: string, items: readonly object[]): Promise<void> {
  const answer = await send(target, { path, type: 'application/x-ndjson', body: lines(items) });
  if (!answer.startsWith(`{"accepted":${items.length},`)) {
    throw new Error(`${path} did not take all of ${items.length} lines: ${answer}`);
  }
}

/** JSON lines in pieces, made while the service reads earlier ones. */
async function* lines(items: readonly object[]): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < items.length; from += PIECE) {
    const piece = items.slice(from, from + PIECE).map((item) => `${JSON.stringify(item)}\n`);
    yield Buffer.from(piece.join(''));
  }
}

interface Sent {
  readonly method?: 'POST' | 'PUT';
  readonly path: string;
  readonly type: string;
  readonly body: string | AsyncIterable<Uint8Array>;
}

async function send(target: DemoTarget, { method = 'POST', path, type, body }: Sent): Promise<string> {
  const response = await fetch(new URL(path, target.host), {
    method,
    headers: { 'X-API-Key': target.secretKey, 'Content-Type': type },
    body,
    duplex: 'half',
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
  return text;
}
