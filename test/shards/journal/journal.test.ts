import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { AppError } from '../../../lib/base/errors.ts';
import { forgetSetAside, journalReports } from '../../../lib/shards/journal/damage.ts';
import { Journal } from '../../../lib/shards/journal/journal.ts';
import { journalEntries } from '../../../lib/shards/journal/format.ts';
import { journalFiles } from '../../../lib/shards/journal/names.ts';
import {
  findDamage,
  headOf,
  repairJournal,
  rewriteForeign,
  rewriteJournal,
  tidyJournal,
} from '../../../lib/shards/journal/rewrite.ts';

interface Head {
  project: string;
  n: number;
}

const PARTITION = { partition: 0, partitions: 1 };

describe('the journal', () => {
  let folder: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-journal-'));
  });
  afterEach(() => fs.rmSync(folder, { recursive: true }));

  const open = (fileBytes = 1 << 20): Journal<Head> => new Journal<Head>(folder, PARTITION, fileBytes);
  const commit = (journal: Journal<Head>): void => {
    journal.write();
    journal.syncNow();
    journal.synced();
  };
  const record = (project: string, n: number, body = `body ${n}`): { head: Head; body: Uint8Array } => ({
    head: { project, n },
    body: Buffer.from(body),
  });
  /** The intact records, in order. */
  const records = (): { head: Head; body: string }[] =>
    journalFiles(folder).flatMap((file) =>
      [...journalEntries(fs.readFileSync(path.join(folder, file.name)), file)].flatMap((entry) =>
        entry.kind === 'record' ? [{ head: headOf<Head>(entry.head), body: Buffer.from(entry.body).toString() }] : [],
      ),
    );
  const read = (): [string, number, string][] => records().map(({ head, body }) => [head.project, head.n, body]);

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
    const MARK = 28; // behind a synced group
    for (let length = whole; length < bytes.length - MARK; length++) {
      fs.writeFileSync(name, bytes.subarray(0, length));
      expect(read(), `cut at ${length}`).to.deep.equal([['a', 1, 'body 1']]);
    }
  });

  it('takes pages that a power cut lost of the last group for no damage, whichever they are, but of a synced one', () => {
    const journal = open();
    for (const n of [1, 2]) journal.add(record('a', n));
    commit(journal);
    const [file] = journalFiles(folder);
    const name = path.join(folder, file!.name);
    const synced = fs.readFileSync(name).length;
    for (const n of [3, 4]) journal.add(record('a', n));
    journal.write();
    const bytes = fs.readFileSync(name);
    const readWithout = (at: number): string[] => {
      fs.writeFileSync(name, Buffer.from(bytes).fill(0, at, Math.min(at + 40, bytes.length)));
      return [...read().map(([, n]) => `${n}`), ...findDamage(folder).map(({ records: lost }) => `${lost} lost`)];
    };
    expect(readWithout(synced)).to.deep.equal(['1', '2', '4']);
    expect(readWithout(bytes.length - 5)).to.deep.equal(['1', '2', '3']);
    expect(readWithout(24)).to.deep.equal(['2', '3', '4', '1 lost']);
    expect(repairJournal(folder)).to.have.length(1);
    const LONG = 55; // bytes of a record
    fs.writeFileSync(name, fs.readFileSync(name).fill(0, 24 + LONG, 24 + 2 * LONG)); // what was rewritten is synced as a whole
    expect(findDamage(folder)).to.deep.equal([{ file: file!.name, projects: [], records: 1, bytes: LONG }]);
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

  it('gives up what was added to a group with the group that failed', () => {
    const journal = open();
    journal.add(record('a', 1));
    journal.write();
    journal.add(record('b', 2)); // while the first is synced
    journal.abandon();
    journal.prepare();
    journal.add(record('c', 3));
    commit(journal);
    expect(read()).to.deep.equal([['c', 3, 'body 3']]);
  });

  describe('on a disk that fails', () => {
    const { openSync, renameSync, unlinkSync } = fs;
    afterEach(() => Object.assign(fs, { openSync, renameSync, unlinkSync }));
    const fail = (code: string) => (): never => {
      throw Object.assign(new Error(code), { code });
    };
    /** A journal of three files; the records of `a` are in all. */
    const three = (): Journal<Head> => {
      const journal = open(64);
      for (const n of [1, 2, 3]) {
        journal.add(record('a', n));
        journal.add(record('b', n));
        commit(journal);
      }
      return journal;
    };

    it('stays as it is where there is no room to thin it', () => {
      const journal = three();
      const before = read();
      Object.assign(fs, {
        openSync: (...args: Parameters<typeof openSync>) =>
          String(args[0]).endsWith('.new') ? fail('ENOSPC')() : openSync(...args),
      });
      journal.thin(({ project }) => project === 'a', true);
      expect(read()).to.deep.equal(before);
      Object.assign(fs, { openSync });
      journal.thin(({ project }) => project === 'a', true);
      expect(read()).to.have.length(before.length - 1);
    });

    it('gives up files later that could not be given up', () => {
      const journal = three();
      Object.assign(fs, { renameSync: fail('EIO'), unlinkSync: fail('EIO') });
      journal.release(Infinity);
      expect(read()).to.have.length(6);
      Object.assign(fs, { renameSync, unlinkSync });
      journal.release(Infinity);
      expect(read()).to.deep.equal([]);
    });
  });

  it('keeps what was written after all before it was given up, through a rewrite that begins later', () => {
    const journal = open(1 << 20);
    journal.add(record('a', 1));
    commit(journal);
    journal.release(Infinity);
    journal.add(record('b', 2));
    commit(journal);
    journal.beginScrub();
    journal.endScrub();
    expect(read()).to.deep.include(['b', 2, 'body 2']);
    journal.release(Infinity);
    expect(read()).to.deep.equal([]);
  });

  it('goes on in its file while there can be no other, and takes the next when there can', () => {
    const journal = open(64);
    const { openSync } = fs;
    try {
      fs.openSync = () => {
        throw Object.assign(new Error('no descriptors'), { code: 'EMFILE' });
      };
      for (const n of [1, 2]) {
        journal.add(record('a', n));
        commit(journal);
      }
    } finally {
      fs.openSync = openSync;
    }
    expect(journalFiles(folder)).to.have.lengthOf(1);
    journal.add(record('a', 3));
    commit(journal);
    expect(journalFiles(folder)).to.have.lengthOf(2);
    expect(read().map(([, n]) => n)).to.deep.equal([1, 2, 3]);
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
    journal.beginScrub();
    rewriteJournal<Head>(folder, { partition: PARTITION, number: journal.file }, (head) => head.project === 'secret');
    expect(read()).to.deep.equal([
      ['keep', 1, 'keep text'],
      ['keep', 1, 'keep text'],
    ]);
    for (const name of fs.readdirSync(folder))
      expect(fs.readFileSync(path.join(folder, name), 'utf8')).not.to.contain('secret');
  });

  it('leaves no copy that a failed rewrite left half made, also of a file that has gone, but those of other writers', () => {
    const journal = open();
    const [own, others, foreign] = ['w0of1-000000000044.log.new', 'w1of3-000000000001.log.new', 'w0of2-000000000001.log.new'] as const; // prettier-ignore
    for (const name of [own, others, foreign]) fs.writeFileSync(path.join(folder, name), 'secret');
    rewriteJournal<Head>(folder, { partition: PARTITION, number: journal.file }, () => true);
    expect(fs.readdirSync(folder)).to.include.members([others, foreign]).and.not.include(own);
    rewriteForeign<Head>(folder, 3, () => true);
    expect(fs.readdirSync(folder)).to.include(others).and.not.include(foreign);
  });

  it('leaves the files of another writer alone, which goes on writing to them, when it is rewritten', () => {
    const mine = new Journal<Head>(folder, { partition: 0, partitions: 2 }, 1 << 20);
    const others = new Journal<Head>(folder, { partition: 1, partitions: 2 }, 1 << 20);
    others.add(record('b', 1));
    commit(others);
    mine.add(record('secret', 1));
    commit(mine);
    for (let i = 0; i < 3; i++) mine.beginScrub();
    rewriteJournal<Head>(folder, { partition: { partition: 0, partitions: 2 }, number: mine.file }, () => true);
    others.add(record('b', 2));
    commit(others);
    expect(read()).to.deep.equal([
      ['b', 1, 'body 1'],
      ['b', 2, 'body 2'],
    ]);
  });

  it('rewrites files of a run with another number of writers, whichever partition they were of', () => {
    const before = new Journal<Head>(folder, { partition: 1, partitions: 3 }, 1 << 20);
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

  describe('damaged', () => {
    const all: [string, number, string][] = Array.from({ length: 5 }, (_, n) => [`prj_${n}`, n, `body ${n}`]);
    /** The file, with records of five projects in groups of two, two and one. */
    function filled(): string {
      const journal = new Journal<{ project: { id: string }; n: number }>(folder, PARTITION, 1 << 20);
      for (const group of [all.slice(0, 2), all.slice(2, 4), all.slice(4)]) {
        for (const [id, n, body] of group) journal.add({ head: { project: { id }, n }, body: Buffer.from(body) });
        journal.write();
        journal.syncNow();
        journal.synced();
      }
      journal.close(false);
      return path.join(folder, journalFiles(folder)[0]!.name);
    }
    const numbers = (): number[] => records().map(({ head }) => head.n);
    const numbersBut = (lost: readonly number[]): number[] => [0, 1, 2, 3, 4].filter((n) => !lost.includes(n));

    it('by one bit, anywhere, loses one record at most, and tells which and of whom', () => {
      const name = filled();
      const good = fs.readFileSync(name);
      for (let at = 0; at < good.length; at++) {
        const bytes = Buffer.from(good);
        bytes[at]! ^= 1 << (at % 8);
        fs.writeFileSync(name, bytes);
        const [damage] = findDamage(folder);
        const left = numbers();
        const lost = [0, 1, 2, 3, 4].filter((n) => !left.includes(n));
        expect(left, `byte ${at}`).to.deep.equal(numbersBut(lost));
        expect(lost.length, `byte ${at}`).to.be.at.most(1);
        expect(damage?.records ?? 0, `byte ${at}`).to.equal(lost.length);
        const told = damage?.projects ?? [];
        const id = lost.length > 0 ? `prj_${lost[0]}` : '';
        const unreadable = lost.length === 0 || !bytes.includes(`{"project":{"id":"${id}"`);
        if (!unreadable) expect(told, `byte ${at}`).to.deep.equal([id]);
      }
    });

    it('by many bytes, keeps what is before and behind', () => {
      const name = filled();
      const bytes = fs.readFileSync(name);
      for (let i = 110; i < 230; i++) bytes[i]! ^= 0xff;
      fs.writeFileSync(name, bytes);
      const [damage] = findDamage(folder);
      expect([damage?.records, numbers()]).to.deep.equal([2, [0, 3, 4]]);
    });

    it('is set aside, once, with a report that says what is lost', () => {
      const name = filled();
      const bytes = fs.readFileSync(name);
      bytes[bytes.indexOf('body 2')]! ^= 4;
      fs.writeFileSync(name, bytes);
      const told = { file: path.basename(name), projects: ['prj_2'], records: 1 };
      const [repaired] = repairJournal(folder);
      expect(repaired?.error).to.equal(null);
      expect(repaired?.damage).to.include({ file: told.file, records: 1 });
      expect(fs.readFileSync(path.join(folder, `damaged-${told.file}`))).to.deep.equal(bytes);
      expect(numbers()).to.deep.equal([0, 1, 3, 4]);
      expect([repairJournal(folder), findDamage(folder)]).to.deep.equal([[], []]);
      expect(journalReports(folder)).to.deep.equal([{ ...told, bytes: repaired?.damage.bytes }]);
      // A crash of an earlier version may have left only a part of the report.
      fs.writeFileSync(path.join(folder, `damaged-${told.file.replace('.log', '.json')}`), '{"file": "w0');
      expect(journalReports(folder)).to.deep.equal([{ file: told.file, projects: [], records: 0, bytes: 0 }]);
      forgetSetAside(folder, 'prj_9'); // whose bytes it may hold
      expect(fs.existsSync(path.join(folder, `damaged-${told.file}`))).to.equal(false);
    });

    it('of format 1 too', () => {
      const records = all.map(([id, n, body]) => firstFormat(JSON.stringify({ project: { id }, n }), body, 7));
      const bytes = Buffer.concat([...records, Buffer.from('torn')]);
      bytes[bytes.indexOf('body 1')]! ^= 1;
      fs.writeFileSync(path.join(folder, 'w0of1-000000000007.log'), bytes);
      const [damage] = findDamage(folder);
      expect([numbers(), damage?.projects, damage?.records]).to.deep.equal([[0, 2, 3, 4], ['prj_1'], 1]);
      expect(repairJournal(folder)).to.have.lengthOf(1);
      expect([numbers(), findDamage(folder)]).to.deep.equal([[0, 2, 3, 4], []]);
    });

    it('is not what a later version wrote: that is refused', () => {
      const name = filled();
      const bytes = fs.readFileSync(name);
      bytes.writeUInt32LE(4, 8);
      bytes.writeUInt32LE(zlib.crc32(bytes.subarray(0, 20)), 20);
      fs.writeFileSync(name, bytes);
      expect(() => repairJournal(folder)).to.throw(AppError, 'has format 4, which is of a later version of Windlass');
    });
  });
});

/** A record in the format of version 0.1.0. */
function firstFormat(head: string, body: string, number: number): Buffer {
  const rest = Buffer.concat([Buffer.alloc(4), Buffer.from(head), Buffer.from(body)]);
  rest.writeUInt32LE(Buffer.byteLength(head), 0);
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32LE(rest.length, 0);
  prefix.writeUInt32LE(zlib.crc32(rest, number), 4);
  return Buffer.concat([prefix, rest]);
}
