import { expect } from 'chai';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { WriterMessage } from '../../../lib/shards/writer-messages.ts';

/** An event as a request of its own. The probe numbers its own messages from 1. */
const request = (id: number): WriterMessage => ({
  ...{ op: 'append', id, project: PROJECT, kind: 'track', encoding: 'identity' },
  body: new Uint8Array(Buffer.from(JSON.stringify({ event_type: 'view', event_properties: { n: id } }))),
  context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
});

const answered = ({ replies }: WriterProbe): number[] =>
  replies.flatMap((reply) => (reply.op === 'done' ? reply.answers.map(({ id }) => id) : []));

async function untilAnswered(probe: WriterProbe, count: number): Promise<void> {
  while (answered(probe).length < count) await new Promise((turn) => setTimeout(turn, 1));
}

describe('a group of requests', () => {
  it('is waited for while nothing else is to be read', () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.process([request(101)]);
    expect(answered(probe)).to.deep.equal([101]);
    expect(probe.writer.commits.isSyncing).to.equal(false);
  });

  it('is synced while the next requests are read, and acknowledged before them', async () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.more = true;
    probe.process([request(101), request(102)]);
    expect(answered(probe)).to.deep.equal([]);
    expect(probe.writer.commits.isSyncing).to.equal(true);
    probe.more = false;
    probe.process([request(103)]);
    expect(answered(probe), 'it is read, and waits for the group before').to.deep.equal([]);
    await untilAnswered(probe, 3);
    expect(answered(probe)).to.deep.equal([101, 102, 103]);
    expect(rowsOf(probe.snapshot())).to.have.length(3);
  });

  it('is on disk before a question about its project is answered', () => {
    const probe = new WriterProbe(temporaryFolder());
    probe.more = true;
    probe.process([request(101)]);
    expect(rowsOf(probe.snapshot())).to.have.length(1);
    expect(answered(probe)[0]).to.equal(101);
  });
});
