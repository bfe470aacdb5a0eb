import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { keyOfColumn, keyOfTexts, ReadConnections } from '../../../lib/shards/file/read-connections.ts';
import { openForWriting, type Connection } from '../../../lib/shards/file/shard-file.ts';
import { RARELY_READ } from '../../../lib/shards/segment/columns.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [SEGMENT, FIELD, FIRST, SUM] = [3, 17, 257, 9];

describe('the shards that a thread reads', () => {
  let folder: string;
  let writers: Connection[];
  beforeEach(() => {
    folder = temporaryFolder();
    writers = [];
  });
  afterEach(() => {
    for (const writer of writers) writer.close();
  });

  /** With at most one open file. */
  const reading = (mostKept = 1 << 20): ReadConnections =>
    new ReadConnections({ most: 1, leftOut: RARELY_READ, mostKept });

  /** A shard at rest. */
  function shard(name: string, text = name): string {
    const file = path.join(folder, `${name}.db`);
    const connection = openForWriting(file);
    write(connection, text);
    connection.close();
    return file;
  }

  /** A shard that a writer has open, so that it is not read as an image. */
  function busy(name: string, text = name): string {
    const file = shard(name, text);
    const writer = openForWriting(file);
    write(writer, text); // its log is not checkpointed
    writers.push(writer);
    return file;
  }

  function write(connection: Connection, text: string): void {
    const bytes = Buffer.from(text);
    connection.prepare('INSERT OR REPLACE INTO columns VALUES (?, ?, ?, ?)').run(SEGMENT, FIELD, bytes, SUM);
    connection.prepare('INSERT OR REPLACE INTO dictionaries VALUES (?, ?, 1, ?, NULL)').run(FIELD, FIRST, bytes);
  }

  /** What is kept of a file's column. */
  const column = (reads: ReadConnections, file: string): string | undefined =>
    reads.kept(file)?.bytes.get(keyOfColumn(SEGMENT, FIELD))?.data.toString();

  it('keep columns and texts when their files are closed for others, and those in their logs too', () => {
    const [a, b] = [busy('a', 'in the log'), busy('b')];
    const reads = reading();
    reads.get(a);
    expect(reads.kept(a), 'while the file is open').to.equal(null);
    reads.get(b);
    const data = Buffer.from('in the log');
    const { bytes, chunks } = reads.kept(a)!;
    expect(chunks.get(FIELD)?.map(({ first, count }) => [first, count])).to.deep.equal([[FIRST, 1]]);
    expect(Object.fromEntries(bytes)).to.deep.equal({
      [keyOfColumn(SEGMENT, FIELD)]: { data, sum: SUM },
      [keyOfTexts(FIELD, FIRST)]: { data, sum: null },
    });
    reads.close(b);
  });

  it('keep them until they are out of date, or the shard is closed', () => {
    const [a, b] = [busy('a'), busy('b')];
    const reads = reading();
    for (const file of [a, b, a, b]) reads.get(file);
    write(writers[0]!, 'new');
    expect(column(reads, a)).to.equal('a');
    reads.forgetCopies(a);
    expect(column(reads, a)).to.equal(undefined);
    for (const file of [a, b]) reads.get(file);
    expect(column(reads, a)).to.equal('new');
    reads.close(a);
    expect(column(reads, a)).to.equal(undefined);
    fs.rmSync(a);
    expect(() => reads.get(a)).to.throw();
    reads.close(b);
  });

  it('read a small one at rest as a copy, without a file beside it, until it is out of date', () => {
    const a = shard('a');
    const reads = reading();
    const stored = (): string => {
      const select = reads.get(a).prepare<[], Buffer>('SELECT data FROM columns').pluck();
      return select.get()!.toString();
    };
    expect(stored()).to.equal('a');
    expect(fs.readdirSync(folder)).to.deep.equal(['a.db']);
    const writer = openForWriting(a); // its log is not checkpointed
    write(writer, 'in the log');
    expect(stored(), 'as it was').to.equal('a');
    reads.forgetCopies(a);
    expect(stored()).to.equal('in the log');
    write(writer, 'later');
    expect(stored(), 'of an open file').to.equal('later');
    writer.close();
    reads.close(a);
  });

  it('keep columns of images at once, which take no place of files', () => {
    const atRest = Array.from({ length: 9 }, (_, nth) => shard(`rest${nth}`)); // one more than there are images
    const file = busy('file');
    const reads = reading();
    for (const one of [file, ...atRest]) reads.get(one);
    expect(column(reads, file), 'while its file is open').to.equal(undefined);
    expect(atRest.map((one) => column(reads, one))).to.deep.equal(atRest.map((_, nth) => `rest${nth}`));
    for (const one of [file, ...atRest]) reads.close(one);
  });

  it('keep no insert ids and filters: they are read where a question wants them', () => {
    const a = busy('a');
    const add = writers[0]!.prepare('INSERT INTO columns VALUES (?, ?, ?, ?)');
    for (const field of RARELY_READ) add.run(SEGMENT, field, Buffer.alloc(300 << 10), SUM);
    const reads = reading();
    for (const file of [a, busy('b')]) reads.get(file);
    expect([...reads.kept(a)!.bytes.keys()].toSorted()).to.deep.equal([
      keyOfColumn(SEGMENT, FIELD),
      keyOfTexts(FIELD, FIRST),
    ]);
    reads.close(a);
  });

  it('keep nothing of large ones, and not more than they may: then the least recently used goes', () => {
    const large = busy('large', 'x'.repeat(200 << 10));
    const [a, b, c] = [busy('a'), busy('b'), busy('c')];
    const reads = reading(2_400); // two
    for (const file of [large, a, b, c]) reads.get(file);
    expect([large, a, b].map((file) => column(reads, file))).to.deep.equal([undefined, 'a', 'b']);
    column(reads, a);
    reads.get(large);
    expect([a, b, c].map((file) => column(reads, file))).to.deep.equal(['a', undefined, 'c']);
    for (const file of [large, a, b, c]) reads.close(file);
  });
});
