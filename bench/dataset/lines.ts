/** The data set as lines of JSON in arrival order: some late, some twice. */
import { Choice, Random } from '../../scripts/demo/random.ts';
import { MinHeap } from './min-heap.ts';
import { DAY, population, sessionSteps, START, type Step } from './sessions.ts';
import { eventTypes, PATH_COUNT, paths } from './vocabulary.ts';

export interface DatasetOptions {
  /** Distinct events. */
  readonly events: number;
  readonly seed: number;
  /** Share of events that arrive late, by up to 3 days. */
  readonly late: number;
  /** Share of events that arrive again, byte for byte, up to 10 minutes after the first time. These are extra. */
  readonly duplicates: number;
}

const MAX_LATE = 3 * DAY;
const MAX_RESEND = 600_000;

/** Bodies of events for bulk POST /track, one per line with its newline. */
export function* eventLines(options: DatasetOptions): Generator<string, void> {
  const spell = lineSpeller(options.seed);
  const fate = new Random(options.seed, 'fate');
  const held = new MinHeap<string>();
  for (const step of sessionSteps(options.events, options.seed)) {
    while (held.leastKey <= step.time) yield held.pop();
    const line = spell(step);
    const delay = fate.unit() < options.late ? fate.below(MAX_LATE) : 0;
    if (delay === 0) yield line;
    else held.push(step.time + delay, line);
    if (fate.unit() < options.duplicates) held.push(step.time + delay + 1 + fate.below(MAX_RESEND), line);
  }
  while (held.size > 0) yield held.pop();
}

/** Bodies for bulk POST /identify: every second device is bound to a user, who thereby gets its anonymous events. */
export function* bindingLines(options: Pick<DatasetOptions, 'events' | 'seed'>): Generator<string, void> {
  const { users, devices } = population(options.events);
  const owner = new Random(options.seed, 'owner');
  for (let device = 0; device < devices; device += 2)
    yield `{"user_id":"u${owner.below(users)}","device_id":"d${device}"}\n`;
}

function lineSpeller(seed: number): (step: Step) => string {
  const random = new Random(seed, 'events');
  const ids = new Random(seed, 'ids');
  const hasDuration = new Choice<boolean>([[true, 0.1], [false, 0.9]]); // prettier-ignore
  const spellTime = timeSpeller();
  return ({ session, time }) => {
    const type = eventTypes.draw(random);
    const path = paths[Math.floor(PATH_COUNT * random.unit() ** 3)]!;
    const user = session.user === null ? '' : `"user_id":"u${session.user}",`;
    const amount = type === 'purchase' ? `,"amount":${Math.floor(500 + random.unit() ** 2 * 50_000) / 100}` : '';
    const duration = hasDuration.draw(random) ? `,"duration_ms":${Math.floor(random.exponential(80_000)) / 100}` : '';
    return (
      `{"event_type":"${type}",${user}"device_id":"d${session.device}","session_id":"s${session.id}","time":"${spellTime(time)}",` +
      `"insert_id":"${hex(ids.next())}${hex(ids.next())}","event_properties":{"browser":"${session.browser}","country":"${session.country}",` +
      `"path":"${path}","plan":"${session.plan}"${amount}${duration}}}\n`
    );
  };
}

/** Formats milliseconds since START as RFC 3339; caches the text of the minute, which most consecutive calls share. */
function timeSpeller(): (time: number) => string {
  let minute = -1;
  let head = '';
  return (time) => {
    const of = Math.floor(time / 60_000);
    if (of !== minute) {
      minute = of;
      head = new Date(START + of * 60_000).toISOString().slice(0, 17);
    }
    const rest = time - of * 60_000;
    const seconds = Math.floor(rest / 1000);
    return `${head}${seconds < 10 ? '0' : ''}${seconds}.${String(rest - seconds * 1000).padStart(3, '0')}Z`;
  };
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}
