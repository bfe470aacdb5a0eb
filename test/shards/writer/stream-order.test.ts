import fs from 'node:fs';
import { expect } from 'chai';
import type { AppendMessage } from '../../../lib/shards/writer-messages.ts';
import { answerTo } from '../../support/bench.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { fdatasyncSync } = fs;

/** A piece of a stream: a line whose user tells which. */
const piece = (stream: number, nth: number): AppendMessage => ({
  ...{ op: 'append', id: 1_000 + stream * 100 + nth, kind: 'track_lines', project: PROJECT, encoding: 'identity' },
  body: new Uint8Array(Buffer.from(`{"event_type":"e","user_id":"${stream}-${nth}"}\n`)),
  context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
  piece: { stream, nth },
});

describe('pieces of a stream that come before the earlier ones are on disk', () => {
  let probe: WriterProbe;
  beforeEach(() => (probe = new WriterProbe(temporaryFolder())));
  afterEach(() => (fs.fdatasyncSync = fdatasyncSync));

  const take = (...pieces: AppendMessage[]): boolean[] => {
    probe.process(pieces);
    probe.process([{ op: 'extent', id: 999, project: PROJECT.id }]); // waits for the disk
    return pieces.map(({ id }) => answerTo(probe, id)!.ok);
  };
  const stored = (): (string | null)[] => rowsOf(probe.snapshot()).map(({ user }) => user);

  it('are stored in order, those of several streams between each other', () => {
    expect(take(piece(1, 0), piece(2, 0), piece(1, 1), piece(1, 2), piece(2, 1))).not.to.include(false);
    expect(stored()).to.deep.equal(['1-0', '2-0', '1-1', '1-2', '2-1']);
  });

  it('are refused after one that the disk did not keep, and other streams go on', () => {
    expect(take(piece(1, 0), piece(2, 0))).to.deep.equal([true, true]);
    fs.fdatasyncSync = () => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', syscall: 'fdatasync' });
    };
    expect(take(piece(1, 1))).to.deep.equal([false]);
    fs.fdatasyncSync = fdatasyncSync;
    expect(take(piece(1, 2), piece(2, 1), piece(1, 3))).to.deep.equal([false, true, false]);
    expect(stored()).to.deep.equal(['1-0', '2-0', '2-1']);
  });

  it('are refused after one that never came', () => {
    expect(take(piece(1, 0), piece(1, 2), piece(2, 1))).to.deep.equal([true, false, false]);
    expect(stored()).to.deep.equal(['1-0']);
  });
});
