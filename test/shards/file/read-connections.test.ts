import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { ReadConnections } from '../../../lib/shards/file/read-connections.ts';
import { openForReading, openForWriting, type Connection } from '../../../lib/shards/file/shard-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('the shards that a thread reads', () => {
  let folder: string;
  let opened: string[];
  beforeEach(() => {
    folder = temporaryFolder();
    opened = [];
  });

  /** With at most one open file. */
  function reading(mostCopied?: number): ReadConnections {
    const open = (file: string): Connection => {
      opened.push(path.basename(file, '.db'));
      return openForReading(file);
    };
    return new ReadConnections(open, 1, mostCopied);
  }

  function shard(name: string, text = ''): string {
    const file = path.join(folder, `${name}.db`);
    const connection = openForWriting(file);
    connection.prepare("INSERT OR REPLACE INTO meta VALUES ('told', ?)").run(text === '' ? name : text);
    connection.close();
    return file;
  }

  const told = (connection: Connection): unknown =>
    connection.prepare("SELECT value FROM meta WHERE key = 'told'").pluck().get();

  it('stay in memory when their files are closed for others, and what is in their logs with them', () => {
    const [a, b] = [shard('a'), shard('b')];
    const writer = openForWriting(a); // its log is not checkpointed
    writer.exec("UPDATE meta SET value = 'in the log' WHERE key = 'told'");
    const reads = reading();
    expect([a, b, a, b, a].map((file) => told(reads.get(file)))).to.deep.equal(['in the log', 'b', 'in the log', 'b', 'in the log']); // prettier-ignore
    expect(opened).to.deep.equal(['a', 'b']);
    writer.close();
    reads.close(a);
    reads.close(b);
  });

  it('are read from their files again when a copy is out of date, or was closed', () => {
    const [a, b] = [shard('a'), shard('b')];
    const reads = reading();
    for (const file of [a, b]) reads.get(file);
    shard('a', 'new');
    expect(told(reads.get(a))).to.equal('a');
    reads.forgetCopy(a);
    expect(told(reads.get(a))).to.equal('new');
    reads.get(b);
    reads.close(a);
    fs.rmSync(a);
    expect(() => reads.get(a)).to.throw();
    reads.close(b);
  });

  it('are not kept where they are large, or copies take more than they may: then the least recently used goes', () => {
    const large = shard('large', 'x'.repeat(128 << 10));
    const [a, b, c] = [shard('a'), shard('b'), shard('c')];
    const reads = reading(2 * fs.statSync(a).size);
    for (const file of [large, a, large, a]) reads.get(file);
    expect(opened).to.deep.equal(['large', 'a', 'large']);
    for (const file of [b, c, large]) reads.get(file); // the newest two copies are of b and c
    opened.length = 0;
    for (const file of [b, c, a]) reads.get(file);
    expect(opened).to.deep.equal(['a']);
    for (const file of [large, a, b, c]) reads.close(file);
  });
});
