import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  Journal,
  journalFiles,
  readJournal,
  rewriteForeign,
  rewriteJournal,
  tidyJournal,
} from '../../lib/shards/journal.ts';

interface Head {
  project: string;
  n: number;
}

const LANE = { lane: 0, lanes: 1 };

describe('the journal', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-journal-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const open = (fileBytes = 1 << 20): Journal<Head> => new Journal<Head>(folder, LANE, fileBytes);
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
    rewriteJournal<Head>(folder, { lane: LANE, number: journal.file }, (head) => head.project === 'secret');
    expect(read()).to.deep.equal([
      ['keep', 1, 'keep text'],
      ['keep', 1, 'keep text'],
    ]);
    for (const name of fs.readdirSync(folder))
      expect(fs.readFileSync(path.join(folder, name), 'utf8')).not.to.contain('secret');
  });

  it('leaves the files of another writer alone, which goes on writing to them, when it is rewritten', () => {
    const mine = new Journal<Head>(folder, { lane: 0, lanes: 2 }, 1 << 20);
    const others = new Journal<Head>(folder, { lane: 1, lanes: 2 }, 1 << 20);
    others.add(record('b', 1));
    commit(others);
    mine.add(record('secret', 1));
    commit(mine);
    for (let i = 0; i < 3; i++) mine.rotate();
    rewriteJournal<Head>(folder, { lane: { lane: 0, lanes: 2 }, number: mine.file }, () => true);
    others.add(record('b', 2));
    commit(others);
    expect(read()).to.deep.equal([
      ['b', 1, 'body 1'],
      ['b', 2, 'body 2'],
    ]);
  });

  it('rewrites files of a run with another number of writers, whichever lane they were of', () => {
    const before = new Journal<Head>(folder, { lane: 1, lanes: 3 }, 1 << 20);
    for (const project of ['keep', 'secret']) before.add(record(project, 1));
    commit(before);
    before.close(false);
    rewriteForeign<Head>(folder, 1, (head) => head.project === 'secret');
    expect(read()).to.deep.equal([['keep', 1, 'body 1']]);
  });

  it('is rid of half-made copies and of spares that no writer knows, before writers start', () => {
    const names = [
      'w0of1-000000000001.log',
      'w0of1-000000000001.log.new',
      'spare-w0of1-1',
      'spare-w3of4-0',
      'spare-w0-0',
    ];
    for (const name of names) fs.writeFileSync(path.join(folder, name), 'zebra');
    tidyJournal(folder, 1);
    expect(fs.readdirSync(folder).sort()).to.deep.equal(['spare-w0of1-1', 'w0of1-000000000001.log']);
  });
});
