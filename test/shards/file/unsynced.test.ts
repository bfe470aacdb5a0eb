import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { openForReading, openForWriting, type Connection } from '../../../lib/shards/file/shard-file.ts';
import { syncedOnce } from '../../../lib/shards/file/unsynced.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const store = (connection: Connection, value: number): void => {
  syncedOnce(connection, () =>
    connection.prepare('INSERT INTO meta (key, value) VALUES (?, ?)').run(`k${value}`, value),
  );
};
const valuesIn = (connection: Connection): number[] =>
  connection.prepare<[], number>('SELECT value FROM meta ORDER BY value').pluck().all();

/** What is in the file itself, without its log. */
function inFile(file: string): number[] {
  const copy = path.join(temporaryFolder(), 'copy.db');
  fs.copyFileSync(file, copy);
  const connection = openForReading(copy);
  try {
    return valuesIn(connection);
  } finally {
    connection.close();
  }
}

/** The files synced by a function, besides what SQLite itself syncs. */
function syncedBy(run: () => void): string[] {
  const files: string[] = [];
  const { fsyncSync } = fs;
  fs.fsyncSync = (fd) => {
    files.push(path.basename(fs.readlinkSync(`/proc/self/fd/${fd}`)));
    fsyncSync(fd);
  };
  try {
    run();
  } finally {
    fs.fsyncSync = fsyncSync;
  }
  return files;
}

describe('a transaction that is synced once', () => {
  it('is in the file when it ends, and the next one, which finds a log, too', () => {
    const file = path.join(temporaryFolder(), 'prj_a.db');
    const connection = openForWriting(file);
    const other = openForWriting(file); // keeps the log
    for (const value of [1, 2]) store(connection, value);
    expect(syncedBy(() => store(connection, 3))).to.deep.equal([]);
    expect(inFile(file)).to.deep.equal([1, 2, 3]);
    for (const open of [connection, other]) open.close();
  });

  it('is synced in the log while somebody reads what was before', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'prj_a.db');
    const connection = openForWriting(file);
    store(connection, 1);
    const reader = openForReading(file);
    reader.exec('BEGIN');
    expect(valuesIn(reader)).to.deep.equal([1]);
    store(connection, 2); // beside the reader, which needs nothing of the log
    const late = openForReading(file);
    late.exec('BEGIN');
    expect(valuesIn(late)).to.deep.equal([1, 2]);
    expect(syncedBy(() => store(connection, 3))).to.deep.equal(['prj_a.db-wal', path.basename(folder)]);
    expect([inFile(file), valuesIn(reader), valuesIn(late)]).to.deep.equal([[1], [1], [1, 2]]);
    for (const open of [reader, late, connection]) open.close();
    expect(inFile(file)).to.deep.equal([1, 2, 3]);
  });
});
