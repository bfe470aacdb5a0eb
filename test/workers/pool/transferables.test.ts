import { expect } from 'chai';
import { Hold } from '../../../lib/primitives/columns.ts';
import { isInMemory } from '../../../lib/primitives/memory.ts';
import type { PartialResult } from '../../../lib/workers/kernels/partial-result.ts';
import { transferOf } from '../../../lib/workers/pool/transferables.ts';

describe('a partial on its way to another thread', () => {
  it('has copies of what lies in the memory, and whatever is on the heap itself', () => {
    const memory = new Hold();
    const counts = memory.floats(3);
    counts.set([1, 2, 3]);
    const ids = Uint32Array.of(1, 2, 3);
    const texts = { text: 'abc', ends: memory.words(3) };
    texts.ends.set([1, 2, 3]);
    const partial: PartialResult = {
      kind: 'groups',
      groups: [{ groups: 3, keys: [{ ids, texts }], metrics: [{ kind: 'count', counts }] }],
    };
    const { partial: sent, buffers, bytes } = transferOf(partial);
    memory[Symbol.dispose]();
    counts.fill(-1); // as the next query does
    texts.ends.fill(0);
    expect(sent).to.deep.equal({
      kind: 'groups',
      groups: [
        {
          groups: 3,
          keys: [{ ids, texts: { text: 'abc', ends: Uint32Array.of(1, 2, 3) } }],
          metrics: [{ kind: 'count', counts: Float64Array.of(1, 2, 3) }],
        },
      ],
    });
    expect(sent.kind === 'groups' && sent.groups[0]!.keys[0]!.ids).to.equal(ids);
    expect([buffers.length, bytes]).to.deep.equal([3, 3 * 4 + 3 + 3 * 4 + 3 * 8 + 'groups'.length + 'count'.length]);
    expect(structuredClone(sent, { transfer: buffers })).to.have.property('kind', 'groups');
    expect(ids.length, 'transferred').to.equal(0);
  });

  it('is itself where all of it is on the heap, and has no empty array of the memory', () => {
    const memory = new Hold();
    const partial: PartialResult = { kind: 'did', counts: Uint32Array.of(4) };
    expect(transferOf(partial).partial).to.equal(partial);
    const { partial: empty, buffers } = transferOf({
      kind: 'masks',
      persons: new Uint32Array(0),
      words: [memory.integers(0)],
    });
    expect(empty.kind === 'masks' && empty.words.map(isInMemory)).to.deep.equal([false]);
    expect(buffers).to.deep.equal([]);
    memory[Symbol.dispose]();
  });
});
