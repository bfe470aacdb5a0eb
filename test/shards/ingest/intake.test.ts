import { expect } from 'chai';
import fc from 'fast-check';
import { memoryAt, give, take as takeMemory } from '../../../lib/primitives/memory.ts';
import { ShardWriter } from '../../../lib/shards/writer/shard-writer.ts';
import { RequestReader } from '../../../lib/shards/writer/request-steps.ts';
import type { AppendAnswer } from '../../../lib/shards/writer-messages.ts';
import { MADE } from '../../../lib/shards/segment/insert-ids/insert-ids.ts';

type Kind = 'track' | 'track_lines';

const DAY = 86_400_000;
const HEAD = {
  context: { receivedAt: Date.parse('2026-03-08T10:00:00Z'), keyKind: 'trusted', ip: null, userAgent: null, place: null },
  project: { id: 'prj_1', retentionDays: 30, ipPolicy: 'full' },
} as const; // prettier-ignore

const FILE = { name: '1', number: 1, salt: null, partition: 0, partitions: 1 };
const reader = new RequestReader({ batchLimit: 1_000, lineLimit: 10_000, geoipFile: null });

const id = fc.constantFrom(
  ...['0123456789abcdef', 'fedcba9876543210', 'x', 'y', 'ein Käse'],
  ...['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '3F2504E0-4F89-41D3-9A0C-0305E82C3301'],
);
const name = fc.constantFrom('ann', 'bob', 'cleo', 'dörte', 'e'.repeat(40));
const property = fc.oneof(
  fc.constantFrom('free', 'pro', 'a "quote"', ''),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const event = fc.record(
  {
    event_type: fc.constantFrom('signup', 'purchase', 'view'),
    user_id: fc.oneof(name, fc.constant(null)),
    device_id: name,
    session_id: name,
    insert_id: id,
    time: fc.constantFrom(...[0, 3, 40].map((days) => HEAD.context.receivedAt - days * DAY)),
    event_properties: fc.dictionary(fc.constantFrom('plan', 'url', 'n'), property),
    user_properties: fc.dictionary(fc.constantFrom('plan', 'seats'), property),
  },
  { requiredKeys: ['event_type'] },
);
const bad = fc.constantFrom<unknown>({ event_type: '' }, { event_type: 7 }, [], 'text', 5, null);
/** Enough that a body is read in several steps. */
const MOST = 64;

describe('Intake', () => {
  it('takes the events of a batch as if each had come alone', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ arbitrary: event, weight: 9 }, bad), { minLength: 1, maxLength: MOST }),
        (events) => {
          const apart = newShard();
          const answers = events.map((one) => take(apart, 'track', JSON.stringify({ events: [one] })));
          expectSame('track', JSON.stringify({ events }), [apart, answers]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('takes the lines of a stream as if each had come alone', () => {
    const line = fc.oneof(
      { arbitrary: event.map((one) => JSON.stringify(one)), weight: 9 },
      bad.map((one) => JSON.stringify(one)),
      fc.constantFrom('', ' ', '{', '{"event_type":"spread" ,\t"n" : 1 } ', 'x'.repeat(10_001)),
    );
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: MOST }), (lines) => {
        const apart = newShard();
        const answers = lines.map((one) => take(apart, 'track_lines', `${one}\n`));
        expectSame('track_lines', lines.join('\n'), [apart, answers]);
      }),
      { numRuns: 150 },
    );
  });

  it('yields after some kilobytes, however few or many events they are', () => {
    for (const length of [10, 100, 3_000, 9_000]) {
      const line = `{"event_type":"e","note":"${'x'.repeat(length)}"}\n`;
      const lines = Math.ceil(200_000 / line.length);
      const body = Buffer.from(line.repeat(lines));
      const shard = newShard();
      const steps = [...reader.deduplicated('track_lines', body, shard, reader.scope(HEAD))];
      expect(steps.length, String(length)).to.be.within(200_000 / 20_000, lines);
    }
  });
});

/** Expects the same of a body that has all of it, on the heap and in the memory of primitives. */
function expectSame(kind: Kind, body: string, [apart, answers]: readonly [ShardWriter, readonly AppendAnswer[]]): void {
  const sum = (of: 'accepted' | 'rejected'): number => answers.reduce((all, one) => all + one[of], 0);
  const errors = answers.flatMap(({ errors: [first] }, index) => (first ? [{ index, error: first.error }] : []));
  const wanted = stored(apart);
  const bytes = Buffer.from(body);
  const place = takeMemory(bytes.length);
  const copy = memoryAt(place, bytes.length);
  copy.set(bytes);
  for (const given of [bytes, copy]) {
    const together = newShard();
    const answer = takeBytes(together, kind, given);
    expect([answer.accepted, answer.rejected]).to.deep.equal([sum('accepted'), sum('rejected')]);
    expect(answer.errors).to.deep.equal(errors.slice(0, 20));
    const all = stored(together);
    for (const key of Object.keys(wanted)) expect(all[key], key).to.deep.equal(wanted[key]);
  }
  give(place);
}

function newShard(): ShardWriter {
  const none = (): never => {
    throw new Error('the shard has no file');
  };
  return new ShardWriter('prj_1', { read: none, write: none }, { stored: false, dictionaryBytes: 1 << 20 });
}

const take = (shard: ShardWriter, kind: Kind, body: string): AppendAnswer => takeBytes(shard, kind, Buffer.from(body));

function takeBytes(shard: ShardWriter, kind: Kind, body: Uint8Array): AppendAnswer {
  const scope = reader.scope(HEAD);
  const steps = reader.deduplicated(kind, body, shard, scope);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  if (scope.kept) shard.commit(scope, { place: { file: FILE, at: 0, end: body.length, sum: 0 }, bytes: body.length });
  return step.value;
}

/** What a seal would store, but for the secret, and words that mean nothing in rows without an insert id. */
function stored(shard: ShardWriter): Record<string, unknown> {
  const { state, rows, fields, bindings, profiles } = shard.batch();
  const { shared, properties, usage } = state;
  if (rows === null) return { fields, bindings, profiles, shared, properties, usage };
  const { insertIds, arrivals, ...columns } = rows;
  expect([...arrivals]).to.deep.equal([...arrivals].sort((a, b) => a - b)); // requests have numbers, too, so those of rows differ
  const { kinds, low, high } = insertIds;
  const ids = Array.from(kinds, (kind, row) => (kind === MADE ? kind : [kind, low[row], high[row]]));
  const { texts, uuids } = insertIds;
  return { columns, ids, texts, uuids, fields, bindings, profiles, shared, properties, usage };
}
