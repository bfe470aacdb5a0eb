import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { bytesTaken } from '../../../lib/primitives/memory.ts';
import { decodeTexts, encodeTexts } from '../../../lib/shards/segment/encoding/texts.ts';
import { NOW, openReader, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of all buffers of this thread. */
function buffers(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

describe('the memory of a thread that erases users', () => {
  it('is the same after many erasures as after some', async () => {
    const probe = new WriterProbe(temporaryFolder());
    const erase = async (nth: number): Promise<void> => {
      const properties = { page: `/page/${nth}`, text: 'some text that is longer '.repeat(4) };
      probe.track([{ event_type: 'view', user_id: `u${nth}`, device_id: `d${nth}`, event_properties: properties }]);
      expect(probe.erase(`u${nth}`).events).to.equal(1);
      probe.replies.length = 0;
      await new Promise((resolve) => setTimeout(resolve, 1)); // lets go of what waited for the disk
    };
    for (let nth = 0; nth < 30; nth++) await erase(nth);
    const taken = bytesTaken();
    // 70 KB of each were 5 MB a round. Tests before this one may still hold buffers, or let go of some: a leak is in every round.
    let grown = Infinity;
    let erased = 30;
    for (let round = 0; round < 4 && grown > 2 << 20; round++) {
      const kept = buffers();
      for (let nth = 0; nth < 70; nth++) await erase(erased++);
      grown = buffers() - kept;
    }
    expect(grown).to.be.below(2 << 20);
    expect(bytesTaken() - taken).to.be.below(100_000);
  });

  it('is not taken anew for each reader', () => {
    const probe = new WriterProbe(temporaryFolder());
    const events = Array.from({ length: 2_000 }, (_, n) => ({
      event_type: 'e',
      user_id: `u${n}`,
      device_id: `d${n % 7}`,
    }));
    probe.track(events, NOW);
    const snapshot = probe.snapshot();
    const read = (): void => {
      const reader = openReader(snapshot);
      const identity = reader.identity(snapshot.identityVersion);
      const segment = reader.segment(snapshot.segments[0]!.id);
      expect(segment.personsAt(Uint32Array.of(1, 2), identity)).to.have.length(2);
      expect(segment.timesAt(Uint32Array.of(1, 2))).to.have.length(2);
      reader.forget();
    };
    read();
    const taken = bytesTaken();
    for (let nth = 0; nth < 20; nth++) read();
    expect(bytesTaken()).to.equal(taken);
  });

  it('has no more of a short list of texts than the list', () => {
    const texts = Array.from({ length: 40 }, () => 'the same text');
    const ends = Uint32Array.from(texts, (_, n) => (n + 1) * texts[0]!.length);
    const list = {
      count: 40,
      types: new Uint8Array(40).fill(2),
      ends,
      bytes: new Uint8Array(Buffer.from(texts.join(''))),
    };
    const { types, bytes } = decodeTexts(encodeTexts(list));
    expect([types.buffer.byteLength, bytes.buffer.byteLength]).to.deep.equal([40, list.bytes.length]);
  });
});
