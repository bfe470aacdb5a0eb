import Database from 'better-sqlite3';
import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import { checkShard } from '../../../lib/shards/upkeep/check.ts';
import { PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// oxlint-disable-next-line typescript/unbound-method -- called with `this` below
const { exec } = Database.prototype;

/** A shard with a log, as a crash leaves it. */
function shard(events: number): string {
  const probe = new WriterProbe(temporaryFolder());
  for (let n = 0; n < events; n++) {
    probe.track([{ event_type: `e${n}`, event_properties: { text: `${n}`.repeat(3_000) } }]);
    const { file } = probe.snapshot();
    if (n !== events - 2) continue;
    const beside = new Database(file);
    beside.pragma('wal_checkpoint(TRUNCATE)');
    beside.close();
  }
  return shardPath(path.dirname(path.dirname(probe.snapshot().file)), PROJECT.id);
}

describe('a check of a shard that is replaced when it has just been opened', () => {
  afterEach(() => void (Database.prototype.exec = exec));

  it('reads the new one', () => {
    const [file, fresh] = [shard(3), shard(30)];
    for (const each of [file, fresh]) expect(checkShard(each)).to.deep.equal([]);
    const copy = path.join(temporaryFolder(), 'copy.db');
    for (const suffix of ['', '-wal']) fs.copyFileSync(file + suffix, copy + suffix);
    let replaced = 0;
    Database.prototype.exec = function (this: Database.Database, sql: string) {
      if (this.name === copy && replaced++ === 0)
        for (const suffix of ['', '-wal']) {
          fs.copyFileSync(fresh + suffix, `${copy}.new${suffix}`);
          fs.renameSync(`${copy}.new${suffix}`, copy + suffix);
        }
      return exec.call(this, sql);
    };
    expect(checkShard(copy)).to.deep.equal([]);
    expect(replaced, 'the first was another').to.be.above(1);
  });
});
