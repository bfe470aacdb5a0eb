import { expect } from 'chai';
import { joinedParts, type Parts } from '../../lib/base/parts.ts';
import { BulkLines } from '../../lib/store/bulk-lines.ts';
import type { AppendAnswer } from '../../lib/shards/writer-messages.ts';

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** A store that answers when told to: the resolvers and rejecters of its promises, in order. */
function held() {
  const given: { text: string; parts: number; nth: number; take: () => void; refuse: () => void }[] = [];
  const append = (lines: Parts, nth: number): Promise<AppendAnswer> =>
    new Promise((resolve, reject) => {
      const text = Buffer.from(joinedParts(lines)).toString();
      const count = text.split('\n').filter((line) => line !== '').length;
      const answer = { accepted: count, rejected: 0, errors: [], warnings: [], lines: count, ignored: [] };
      given.push({
        text,
        parts: lines.length,
        nth,
        take: () => resolve(answer),
        refuse: () => reject(new Error(`no ${nth}`)),
      });
    });
  return { given, append };
}

describe('lines of a stream', () => {
  it('are passed on before the earlier ones are on disk, and counted in order', async () => {
    const { given, append } = held();
    const stream = new BulkLines({ lineLimit: 100, append, hasRoom: () => true, ended: () => undefined });
    const first = stream.write([bytes('a\nb')]);
    const second = stream.write([bytes('c\nd\n')]);
    expect(given.map(({ text, nth }) => [text, nth])).to.deep.equal([['a\n', 0], ['bc\nd\n', 1]]); // prettier-ignore
    given[1]!.take();
    expect(stream.progress).to.include({ accepted: 0, lines: 0 });
    given[0]!.take();
    await Promise.all([first, second]);
    expect(stream.progress).to.include({ accepted: 3, lines: 3 });
  });

  it('that are too long are told by their number, whatever is still on its way', async () => {
    const { given, append } = held();
    const stream = new BulkLines({ lineLimit: 4, append, hasRoom: () => true, ended: () => undefined });
    const written = [stream.write([bytes('a\nb\ntoo long')]), stream.write([bytes(' indeed\nc\n')])];
    for (const { take } of given) take();
    await Promise.all(written);
    const { lines, firstErrors, accepted } = await stream.end();
    expect([lines, accepted]).to.deep.equal([4, 3]);
    expect(firstErrors).to.deep.equal([{ line: 3, error: 'the line is longer than 4 bytes' }]);
  });

  it('need no memory of a piece that was written', async () => {
    const { given, append } = held();
    const stream = new BulkLines({ lineLimit: 100, append, hasRoom: () => true, ended: () => undefined });
    for (const text of ['a\nb', 'c', 'd\n']) {
      const piece = Buffer.from(text);
      const written = stream.write([piece]);
      given.at(-1)?.take();
      await written;
      piece.fill('x');
    }
    expect(given.map(({ text }) => text)).to.deep.equal(['a\n', 'bcd\n']);
  });

  it('join the parts of an unfinished line, however many there are', async () => {
    const { given, append } = held();
    const stream = new BulkLines({ lineLimit: 2_000, append, hasRoom: () => true, ended: () => undefined });
    for (let n = 0; n < 1_000; n++) await stream.write([bytes('a'), bytes('b')].slice(n % 2));
    const written = stream.write([bytes('c'), bytes('\nd\n'), bytes('e')]);
    given[0]!.take();
    await written;
    expect(given[0]!.text).to.equal(`${'abb'.repeat(500)}c\nd\n`);
    expect(given[0]!.parts).to.equal(3);
    const ended = stream.end();
    given[1]!.take();
    expect((await ended).lines).to.equal(3);
  });

  it('count up to the first that are refused', async () => {
    const { given, append } = held();
    let ended = 0;
    const stream = new BulkLines({ lineLimit: 100, append, hasRoom: () => true, ended: () => ended++ });
    const written = ['a\n', 'b\n', 'c\n'].map((text) => stream.write([bytes(text)]));
    given[0]!.take();
    given[2]!.take();
    given[1]!.refuse();
    const outcomes = await Promise.allSettled(written);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'rejected']);
    expect([stream.abort().lines, ended]).to.deep.equal([1, 1]);
  });
});
