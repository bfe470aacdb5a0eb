import { expect } from 'chai';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { journalEntries } from '../../../lib/shards/journal/format.ts';
import { Journal } from '../../../lib/shards/journal/journal.ts';
import { journalFiles } from '../../../lib/shards/journal/names.ts';
import { headOf } from '../../../lib/shards/journal/rewrite.ts';

const KIB = 1 << 10;
const PARTITION = { partition: 0, partitions: 1 };
const BODY = Buffer.alloc(10 * KIB, 'x');

interface Head {
  readonly n: number;
}

describe('files that a journal takes next', () => {
  let folder: string;
  const { open: realOpen, openSync, closeSync, fsync, fsyncSync, fdatasync, fdatasyncSync, write } = fs;
  const real = { open: realOpen, openSync, closeSync, fsync, fsyncSync, fdatasync, fdatasyncSync, write };

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-spare-files-'));
  });
  afterEach(() => {
    Object.assign(fs, real);
    fs.rmSync(folder, { recursive: true });
  });

  const open = (fileBytes = 1 << 20): Journal<Head> => new Journal<Head>(folder, PARTITION, fileBytes);
  const commit = (journal: Journal<Head>, ...numbers: number[]): void => {
    for (const n of numbers) {
      journal.add({ head: { n }, body: BODY });
      journal.write();
      journal.syncNow();
      journal.synced();
    }
  };
  const seven = [0, 1, 2, 3, 4, 5, 6];
  /** A journal of 70 KiB that has just begun to make a file. */
  const grown = (): Journal<Head> => {
    const journal = open();
    commit(journal, ...seven);
    return journal;
  };
  const numbers = (): number[] =>
    journalFiles(folder).flatMap((file) =>
      [...journalEntries(fs.readFileSync(path.join(folder, file.name)), file)].flatMap((entry) =>
        entry.kind === 'record' ? [headOf<Head>(entry.head).n] : [],
      ),
    );
  const spares = (): string[] => fs.readdirSync(folder).filter((name) => name.startsWith('spare'));
  const until = async (ready: () => boolean): Promise<void> => {
    while (!ready()) await turn();
  };
  const made = (): Promise<void> => until(() => spares().join() === 'spare-w0of1-0');
  const size = (journal: Journal<Head>): number => {
    const file = journalFiles(folder).find(({ number }) => number === journal.file)!;
    return fs.statSync(path.join(folder, file.name)).size;
  };

  it('are made while the first grows, so that no commit makes the next longer', async () => {
    const journal = grown();
    await made();
    commit(journal, 7, 8);
    expect(spares()).to.deep.equal([]);
    const bytes = size(journal);
    expect(bytes).to.be.within(4 * 70 * KIB, 4 * 90 * KIB);
    commit(journal, 9, 10);
    expect(size(journal)).to.equal(bytes);
    expect(numbers()).to.deep.equal([...seven, 7, 8, 9, 10]);
    expect(journal.diskBytes).to.equal(journal.heldBytes);
  });

  it('are made again where one could not get its name', async () => {
    const { renameSync } = fs;
    let failed = 0;
    Object.assign(fs, {
      renameSync: (...args: Parameters<typeof renameSync>) => {
        if (!String(args[0]).endsWith('.new')) return renameSync(...args);
        failed++;
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    });
    try {
      const journal = grown();
      await until(() => failed > 0);
      Object.assign(fs, { renameSync });
      commit(journal, 7);
      await made();
    } finally {
      Object.assign(fs, { renameSync });
    }
  });

  it('are never larger than a file may be', async () => {
    const journal = open(100 * KIB);
    commit(journal, ...seven);
    await made();
    expect(fs.statSync(path.join(folder, spares()[0]!)).size).to.equal(100 * KIB);
    expect(journal.diskBytes).to.equal(journal.heldBytes + 100 * KIB);
  });

  it('are read to the end of their records after a crash', async () => {
    const journal = grown();
    await made();
    commit(journal, 7, 8);
    const next = open();
    commit(next, 9);
    expect(numbers()).to.deep.equal([...seven, 7, 8, 9]);
  });

  for (const [what, stop] of [
    ['a rest', (journal: Journal<Head>): void => journal.rest(0)],
    ['an erasure', (journal: Journal<Head>): unknown => journal.beginScrub()],
    ['the end', (journal: Journal<Head>): void => journal.close(false)],
  ] as const) {
    it(`are not made any longer after ${what}`, async () => {
      let closed = 0;
      fs.closeSync = (fd) => {
        closed++;
        real.closeSync(fd);
      };
      const journal = grown();
      expect(spares()).to.deep.equal(['spare-w0of1-0.new']);
      stop(journal);
      expect(spares()).to.deep.equal([]);
      const before = closed;
      await until(() => closed > before); // nothing writes to it any more
      expect(spares()).to.deep.equal([]);
      expect(numbers()).to.deep.equal(seven);
    });
  }

  it('are tried once where the disk has no room, and again after a rest', async () => {
    let tries = 0;
    fs.write = ((...given: unknown[]) => {
      tries++;
      (given.at(-1) as (error: Error) => void)(Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' }));
    }) as unknown as typeof fs.write;
    const journal = grown();
    await until(() => spares().length === 0);
    commit(journal, 7, 8);
    expect(tries).to.equal(1);
    Object.assign(fs, { write: real.write });
    journal.rest(0);
    commit(journal, 9);
    await made();
    expect(numbers()).to.deep.equal([...seven, 7, 8, 9]);
  });

  it('are not those that would be full at once', async () => {
    const journal = grown();
    await made();
    commit(journal, 7, 8);
    journal.release(journal.file);
    expect(spares(), 'of the 70 KiB before').to.deep.equal([]);
    const { file } = journal;
    commit(journal, ...Array.from({ length: 40 }, (_, n) => 9 + n));
    await made();
    commit(journal, 50, 51);
    expect(journal.file).to.be.above(file);
  });

  describe('have a name on disk', () => {
    let synced: string[];
    const folders = new Map<number, string>();

    beforeEach(() => {
      synced = [];
      folders.clear();
      const note = (fd: number): void => void synced.push(folders.get(fd) ?? 'file');
      Object.assign(fs, {
        open: ((name: string, flags: string, done: (error: Error | null, fd: number) => void) => {
          const fd = real.openSync(name, flags);
          if (name === folder) folders.set(fd, 'folder');
          done(null, fd);
        }) as unknown as typeof fs.open,
        openSync: ((name: string, ...given: [string, number?]) => {
          const fd = real.openSync(name, ...given);
          if (name === folder) folders.set(fd, 'folder');
          else folders.delete(fd);
          return fd;
        }) as typeof fs.openSync,
        fsync: (fd: number, done: (error: Error | null) => void) => {
          note(fd);
          done(null);
        },
        fsyncSync: note,
        fdatasync: (fd: number, done: (error: Error | null) => void) => {
          note(fd);
          done(null);
        },
        fdatasyncSync: note,
        write: (() => undefined) as unknown as typeof fs.write,
      });
    });

    /** A journal whose file has just become full. */
    function full(): Journal<Head> {
      const journal = open(64 * KIB);
      commit(journal, ...seven);
      synced = [];
      return journal;
    }

    it('before the first group in them is acknowledged, which needs no sync of its own afterwards', () => {
      for (const wait of [false, true]) {
        const journal = full();
        for (const [n, expected] of [
          [7, ['folder', 'file']],
          [8, ['file']],
        ] as const) {
          synced = [];
          journal.add({ head: { n }, body: BODY });
          journal.write();
          if (wait) journal.syncNow();
          else journal.sync((error) => expect(error).to.equal(null));
          journal.synced();
          expect(synced, wait ? 'waiting' : 'in the background').to.deep.equal(expected);
        }
        journal.close(true);
      }
    });

    it('before those of smaller numbers go', () => {
      const journal = full();
      journal.release(journal.file);
      expect(synced).to.deep.equal(['folder']);
    });

    it('or their group fails', () => {
      const journal = full();
      fs.fsync = ((_fd: number, done: (error: Error) => void) => done(new Error('EIO'))) as unknown as typeof fs.fsync;
      journal.add({ head: { n: 7 }, body: BODY });
      journal.write();
      const errors: unknown[] = [];
      journal.sync((error) => errors.push(error));
      expect(errors).to.have.length(1).and.to.have.property('0').that.is.an('error');
      journal.abandon();
      expect(numbers()).to.deep.equal(seven);
    });
  });
});
