/**
 * What columns by triple cost to decode, beside the same columns with a code per row: one segment of the bench's sessions.
 *
 *   node dist/bench/micro/triples.js [rows] [rounds]
 */
import { Hold, retireColumns } from '../../lib/primitives/columns.ts';
import { Scratch } from '../../lib/primitives/memory.ts';
import { decodeTriples } from '../../lib/shards/segment/triples.ts';
import { decodeField, decodeNarrow, type NarrowCodes, type TriplesOf } from '../../lib/shards/segment/decode.ts';
import { COLUMN, FIRST_FIELD } from '../../lib/shards/segment/columns.ts';
import { encodeSegment } from '../../lib/shards/segment/encode.ts';
import type { RawField, RawSegment } from '../../lib/shards/segment/raw.ts';
import { setThresholds, type End } from '../../lib/base/threshold.ts';
import { sessionSteps, type Session } from '../dataset/sessions.ts';

const ROWS = Number(process.argv[2] ?? 250_000);
const ROUNDS = Number(process.argv[3] ?? 60);
/** Events of the data set; the rows are the first of them. */
const EVENTS = 1_000_000;
const FIELDS: readonly (readonly [name: string, of: (session: Session) => string])[] = [
  ['country', ({ country }) => country],
  ['browser', ({ browser }) => browser],
  ['plan', ({ plan }) => plan],
];

const raw = segmentOf([...sessionSteps(EVENTS, 1)].slice(0, ROWS).map(({ session }) => session));
const room = new Scratch();
const forms = { plain: encoded('most'), byTriple: encoded('usual') };
const hold = new Hold(); // so that columns are in the memory, as in a query
const columns: readonly (readonly [name: string, field: number])[] = [
  ...([['user_id', COLUMN.userId], ['device_id', COLUMN.deviceId], ['session_id', COLUMN.sessionId]] as const), // prettier-ignore
  ...FIELDS.map(([name], i) => [name, FIRST_FIELD + i] as const),
];
const triplesColumn = forms.byTriple.get(COLUMN.triples)!;
const triples = decodeTriples(triplesColumn, room);
print('triples', triplesColumn.length, () => decodeTriples(triplesColumn, room));
for (const [name, field] of columns) {
  for (const [form, data] of Object.entries(forms)) {
    const bytes = data.get(field)!;
    print(`${name}, ${form}`, bytes.length, () => retireColumns([decoded(field, bytes, () => triples)]));
  }
}
hold[Symbol.dispose]();

function decoded(field: number, bytes: Uint8Array, of: TriplesOf): NarrowCodes {
  return field < FIRST_FIELD ? decodeNarrow(bytes, of) : decodeField(bytes, ROWS, of).codes!;
}

function print(name: string, bytes: number, run: () => unknown): void {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    run();
    times.push(performance.now() - begun);
  }
  const first = times[0]!;
  times.sort((a, b) => a - b);
  const ms = [first, times[0]!, times[ROUNDS >> 1]!].map((time) => time.toFixed(3)).join(' ');
  console.log(`${name.padEnd(20)} ${String(bytes).padStart(8)} bytes   first, least, median ms: ${ms}`);
}

function encoded(end: End): Map<number, Uint8Array> {
  setThresholds(end, ['bytes that triples save']);
  const order = Uint32Array.from({ length: ROWS }, (_, row) => row);
  const { columns: made } = encodeSegment(raw, order, { secret: [1, 2], since: 0 });
  return new Map(made.map(({ field, data }) => [field, data]));
}

function segmentOf(sessions: readonly Session[]): RawSegment {
  const rows = Uint32Array.from({ length: ROWS }, (_, row) => row);
  const coded = (of: (session: Session) => string | null): Uint32Array => {
    const known = new Map<string | null, number>([[null, 0]]);
    return Uint32Array.from(sessions, (session) => {
      const text = of(session);
      if (!known.has(text)) known.set(text, known.size);
      return known.get(text)!;
    });
  };
  const fields = FIELDS.map(([, of], i): RawField => {
    const none = { local: null, numberRows: new Uint32Array(0), numbers: new Float64Array(0) };
    return { field: FIRST_FIELD + i, rows, codes: coded(of), ...none };
  });
  const times = Float64Array.from(rows);
  return {
    ...{ rows: ROWS, times, arrivals: times, received: times, types: new Uint32Array(ROWS).fill(1), fields },
    users: coded(({ user }) => (user === null ? null : `u${user}`)),
    devices: coded(({ device }) => `d${device}`),
    sessions: coded(({ id }) => `s${id}`),
    insertIds: {
      ...{ kinds: new Uint8Array(ROWS), low: new Uint32Array(ROWS), high: new Uint32Array(ROWS) },
      ...{ imported: new Uint8Array(ROWS), texts: null, uuids: new Uint8Array(0) },
    },
  };
}
