import { once } from 'node:events';
import { expect } from 'chai';
import { bytesIn, type Parts } from '../../../lib/base/parts.ts';
import { PieceSink } from '../../../lib/router/ingest/piece-sink.ts';

const MIB = 1 << 20;

describe('the sink of a stream', () => {
  /** Answers of the store that are still due. */
  let due: (() => void)[];
  let pieces: number[];
  let held: Promise<void>;
  let room: boolean;
  let sink: PieceSink;
  beforeEach(() => {
    [due, pieces, held, room] = [[], [], Promise.resolve(), true];
    const unused = (): never => {
      throw new Error('the sink only writes');
    };
    const stream = {
      unfinished: 0,
      ...{
        end: unused,
        abort: unused,
        progress: { accepted: 0, rejected: 0, lines: 0, firstErrors: [], warnings: [] },
      },
      hasRoom: () => room,
      write: (piece: Parts): Promise<void> => {
        pieces.push(bytesIn(piece));
        return new Promise((resolve) => due.push(resolve));
      },
    };
    const none = { cover: () => null, shrink: () => undefined };
    sink = new PieceSink(stream, () => held, () => Promise.resolve(), none); // prettier-ignore
  });

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const write = async (bytes: number): Promise<void> => {
    await new Promise<void>((done) => sink.write(Buffer.alloc(bytes), () => done()));
    await turn();
  };
  const answer = (): Promise<void> => {
    due.shift()!();
    return turn();
  };

  it('passes on one full piece while the store has another, and gathers the rest', async () => {
    await write(10);
    await write(20);
    expect(pieces, 'a small piece waits').to.deep.equal([10]);
    await write(MIB);
    expect(pieces).to.deep.equal([10, MIB + 20]);
    const third = write(MIB + 1);
    expect(pieces, 'two at a time').to.have.lengthOf(2);
    await answer();
    await third;
    expect(pieces).to.deep.equal([10, MIB + 20, MIB + 1]);
    sink.end(Buffer.alloc(5));
    await answer();
    expect(pieces).to.have.lengthOf(3);
    await answer();
    expect(pieces).to.deep.equal([10, MIB + 20, MIB + 1, 5]);
    const finished = once(sink, 'finish');
    await answer();
    await finished;
  });

  it('passes on one piece at a time while the store has no room for another', async () => {
    room = false;
    await write(10);
    await write(MIB);
    expect(pieces).to.deep.equal([10]);
    await answer();
    expect(pieces).to.deep.equal([10, MIB]);
  });

  it('wants no more while it has thousands of parts, and does again when they were passed on', async () => {
    await write(10);
    for (let n = 1; n < 4_096; n++) await write(1);
    let more = false;
    const last = write(1).then(() => (more = true));
    await turn();
    expect(more).to.equal(false);
    due[0]!();
    await last;
    expect(pieces).to.deep.equal([10, 4_096]);
  });

  it('passes on nothing while the project must wait', async () => {
    let goOn: (() => void) | null = null;
    held = new Promise((resolve) => (goOn = resolve));
    await write(10);
    await write(20);
    await answer();
    expect(pieces).to.deep.equal([10]);
    goOn!();
    await turn();
    expect(pieces).to.deep.equal([10, 20]);
  });
});
