import { expect } from 'chai';
import { setThresholds } from '../../../../lib/base/threshold.ts';
import { ShardWriter } from '../../../../lib/shards/writer/shard-writer.ts';
import { RequestReader } from '../../../../lib/shards/writer/request-steps.ts';

const VALUES = 'values of a dictionary';
const HEAD = {
  context: { receivedAt: Date.parse('2026-03-08T10:00:00Z'), keyKind: 'trusted', ip: null, userAgent: null, place: null },
  project: { id: 'prj_1', retentionDays: null, ipPolicy: 'full' },
} as const; // prettier-ignore

describe('RowBuilder', () => {
  before(() => setThresholds('least', [VALUES]));
  after(() => setThresholds('usual', [VALUES]));

  it('gives texts the codes of the segment that they are in, however often they came before', () => {
    const shard = newShard();
    const first = ['x', 'y', 'z', 'y', 'x', 'z'];
    const second = ['z', 'w', 'y', 'z', 'x', 'x'];
    take(shard, first);
    expect(sealedTexts(shard)).to.deep.equal(first);
    take(shard, second);
    expect(sealedTexts(shard)).to.deep.equal(second);
  });

  it('gives texts of equal keys the codes of their project', () => {
    const [one, other] = [newShard(), newShard()];
    take(one, ['a', 'b', 'c']);
    take(other, ['c', 'b', 'a']);
    take(one, ['c', 'b']);
    expect(sealedTexts(one)).to.deep.equal(['a', 'b', 'c', 'c', 'b']);
    expect(sealedTexts(other)).to.deep.equal(['c', 'b', 'a']);
  });
});

function newShard(): ShardWriter {
  const none = (): never => {
    throw new Error('the shard has no file');
  };
  return new ShardWriter('prj_1', { read: none, write: none }, { stored: false, dictionaryBytes: 1 << 20 });
}

/** Takes an event for each value of the property. */
function take(shard: ShardWriter, values: readonly string[]): void {
  const reader = new RequestReader({ batchLimit: 100, lineLimit: 1_000, geoipFile: null });
  const lines = values.map((value) => `{"event_type":"e","event_properties":{"key":"${value}"}}\n`);
  const scope = reader.scope(HEAD);
  for (const step of reader.deduplicated('track_lines', Buffer.from(lines.join('')), shard, scope))
    expect(step).to.equal(undefined);
}

/** The property's values in what is sealed now, by row. */
function sealedTexts(shard: ShardWriter): string[] {
  shard.batch();
  const { codes, local } = shard.state.fields.find(({ key }) => key === 'p:key')!.raw(shard.pendingRows)!;
  const { bytes, ends } = local!;
  const texts = Array.from(codes, (code) => Buffer.from(bytes).toString('utf8', code === 1 ? 0 : ends[code - 2], ends[code - 1])); // prettier-ignore
  shard.sealed({ segment: null, textRuns: [] });
  return texts;
}
