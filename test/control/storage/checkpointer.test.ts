import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { Checkpointer } from '../../../lib/control/storage/checkpointer.ts';
import { ControlConnection } from '../../../lib/control/storage/connection.ts';
import { SqliteEngine } from '../../../lib/control/storage/sqlite-engine.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A log of so many pages is brought into the file. */
const PAGES = 8;
/** Pages that are written in all: far more, but fewer than those of which a commit brings some into the file itself. */
const WRITTEN = 2_000;

const logSize = (db: Database.Database): number =>
  db.prepare<[], { log: number }>('PRAGMA wal_checkpoint(NOOP)').get()?.log ?? NaN;

describe('the log of a control database that serves', () => {
  it('is brought into the file by another thread, and starts again; what was read stays valid', async () => {
    const file = join(temporaryFolder(), 'control.db');
    const errors: Error[] = [];
    const onError = (error: Error): void => void errors.push(error);
    const engine = new SqliteEngine(file, { serves: true, onError, checkpointPages: PAGES });
    const connection = new ControlConnection(engine);
    await connection.prepare();
    const looking = new Database(file, { readonly: true });
    const epoch = connection.epoch();
    let least = Infinity;
    for (let n = 1; n <= WRITTEN && least > PAGES; n++) {
      await connection.writeCounters(() => connection.note('number', n));
      if (n > 2 * PAGES) least = Math.min(least, logSize(looking));
      await turn();
      await connection.writeCounters(() => connection.note('last', n));
    }
    expect(least, 'pages of a log that started again').to.be.at.most(PAGES);
    expect(connection.epoch(), 'after counters and checkpoints').to.equal(epoch);
    const last = await connection.noted('last');
    looking.close();
    await connection.close();
    expect(errors).to.deep.equal([]);
    expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).to.equal(undefined);
    const again = new ControlConnection(new SqliteEngine(file, { serves: false, onError }));
    expect(await again.noted('last')).to.equal(last);
    await again.close();
  });

  it('tells the first of the checkpoints in a row that fail', async () => {
    const told: string[] = [];
    const missing = join(temporaryFolder(), 'missing.db');
    const first = Promise.withResolvers<void>();
    const checkpointer = new Checkpointer(missing, ({ message }) => {
      told.push(message);
      first.resolve();
    });
    checkpointer.request();
    await first.promise;
    checkpointer.request();
    await checkpointer.close();
    expect(told).to.have.length(1);
    expect(told[0]).to.match(/^the control database's log cannot be brought into its file: .*unable to open/);
  });
});
