import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Journal, journalFiles, readJournal, rewriteJournal } from '../../lib/shards/journal.ts';

interface Head {
  project: string;
  n: number;
}

describe('the journal', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-journal-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const open = (fileBytes = 1 << 20): Journal<Head> => new Journal<Head>(folder, { lane: 0, lanes: 1 }, fileBytes);
  const commit = (journal: Journal<Head>): void => {
    journal.write();
    journal.syncNow();
    journal.synced();
  };
  const record = (project: string, n: number, body = `body ${n}`): { head: Head; body: Uint8Array } => ({
    head: { project, n },
    body: Buffer.from(body),
  });
  const read = (): [string, number, string][] =>
    journalFiles(folder).flatMap((file) =>
      [...readJournal<Head>(folder, file)].map(({ head, body }): [string, number, string] => [
        head.project,
        head.n,
        Buffer.from(body).toString(),
      ]),
    );

  it('gives back what was committed, in order, over several files', () => {
    const journal = open(64);
    for (let n = 0; n < 10; n++) {
      journal.add(record('a', n));
      journal.add(record('b', n));
      commit(journal);
    }
    expect(journalFiles(folder).length).to.be.above(5);
    expect(read()).to.deep.equal(
      Array.from({ length: 10 }, (_, n) => [
        ['a', n, `body ${n}`],
        ['b', n, `body ${n}`],
      ]).flat(),
    );
  });

  it('ends at a torn record, wherever it is torn', () => {
    const journal = open();
    journal.add(record('a', 1));
    commit(journal);
    const name = path.join(folder, journalFiles(folder)[0]!.name);
    const whole = fs.readFileSync(name).length;
    journal.add(record('a', 2));
    commit(journal);
    const bytes = fs.readFileSync(name);
    for (let length = whole; length < bytes.length; length++) {
      fs.writeFileSync(name, bytes.subarray(0, length));
      expect(read(), `cut at ${length}`).to.deep.equal([['a', 1, 'body 1']]);
    }
    const flipped = Buffer.from(bytes);
    flipped[whole + 20]! ^= 1;
    fs.writeFileSync(name, flipped);
    expect(read()).to.deep.equal([['a', 1, 'body 1']]);
  });

  it('writes over old files without ever reading what they held', () => {
    const journal = open(200);
    for (let n = 0; n < 40; n++) {
      journal.add(record('a', n, 'x'.repeat(150)));
      commit(journal);
      journal.release(journal.file);
    }
    journal.add(record('b', 99));
    commit(journal);
    expect(read()).to.deep.equal([['b', 99, 'body 99']]);
  });

  it('takes numbers after those of an earlier run', () => {
    const first = open();
    first.add(record('a', 1));
    commit(first);
    first.close(false);
    const second = open();
    expect(second.file).to.be.above(journalFiles(folder)[0]!.number);
    expect(read()).to.deep.equal([['a', 1, 'body 1']]);
  });

  it('rewrites closed files without the records of a project and without left-overs', () => {
    const journal = open();
    for (const project of ['keep', 'secret', 'keep']) journal.add(record(project, 1, `${project} text`));
    commit(journal);
    journal.rotate();
    rewriteJournal<Head>(folder, journal.file, (head) => head.project === 'secret');
    expect(read()).to.deep.equal([
      ['keep', 1, 'keep text'],
      ['keep', 1, 'keep text'],
    ]);
    for (const name of fs.readdirSync(folder))
      expect(fs.readFileSync(path.join(folder, name), 'utf8')).not.to.contain('secret');
  });
});
