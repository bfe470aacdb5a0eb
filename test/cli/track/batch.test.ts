import { expect } from 'chai';
import { LineBatch } from '../../../lib/cli/track/batch.ts';
import { MapUse } from '../../../lib/cli/track/field-map.ts';
import type { LineBytes } from '../../../lib/cli/track/lines.ts';

const map = new Map<string, readonly string[]>();
const OPTIONS = { batchSize: 100, map, use: new MapUse(map) };

function line(number: number, text: string): LineBytes {
  const bytes = Buffer.from(text);
  return { number, bytes, from: 0, to: bytes.length };
}

function filled(text: string, lines: number): LineBatch {
  const batch = new LineBatch(OPTIONS);
  for (let number = 1; number <= lines; number++) batch.add(line(number, `{"event_type":"${text}","insert_id":"${text}-${number}"}`)); // prettier-ignore
  return batch;
}

const typesOf = (body: Buffer): unknown[] =>
  (JSON.parse(body.toString()) as { events: { event_type: unknown }[] }).events.map(({ event_type }) => event_type);

describe('Batch', () => {
  it('uses the memory of a released batch again, and no other', () => {
    const [first, second] = [filled('first', 3), filled('second', 3)];
    const [memory, kept] = [first.body().buffer, second.body()];
    first.release();
    const third = filled('third', 2);
    expect(third.body().buffer).to.equal(memory);
    expect(typesOf(third.body())).to.deep.equal(['third', 'third']);
    expect(typesOf(kept)).to.deep.equal(['second', 'second', 'second']);
  });

  it('keeps what it has when it grows', () => {
    const batch = filled('x'.repeat(2_000), 100);
    expect(batch.bytes).to.be.greaterThan(200_000);
    expect(new Set(typesOf(batch.body()))).to.deep.equal(new Set(['x'.repeat(2_000)]));
    batch.release();
    batch.release(); // gives nothing back
    expect(typesOf(filled('a', 1).body())).to.deep.equal(['a']);
    expect(typesOf(filled('b', 1).body())).to.deep.equal(['b']);
  });
});
