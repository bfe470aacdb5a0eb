import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readProfile, saveProfiles } from '../../../lib/shards/file/profile-table.ts';
import { openForWriting, shardPath } from '../../../lib/shards/file/shard-file.ts';
import { sumOf } from '../../../lib/shards/file/stored-bytes.ts';
import { readUsage } from '../../../lib/shards/file/usage-counters.ts';
import { readMeta, readSegments } from '../../../lib/shards/segment/shard-meta.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('a shard of format 3', () => {
  /** As the release before left it. */
  function oldShard(): string {
    const file = shardPath(temporaryFolder(), 'prj_old');
    openForWriting(file).close();
    const connection = new Database(file);
    connection.exec(`
      ALTER TABLE profiles DROP COLUMN dates;
      ALTER TABLE usage DROP COLUMN times_replaced;
      ALTER TABLE usage DROP COLUMN fields_ignored;
      ALTER TABLE segments DROP COLUMN imports;
      PRAGMA user_version = 3`);
    const properties = '{"plan":"pro"}';
    const insert = 'INSERT INTO profiles (person, first_seen, last_seen, properties, sum) VALUES (?, ?, ?, ?, ?)';
    connection.prepare(insert).run(1, 5, 6, properties, sumOf(properties));
    connection.exec("INSERT INTO usage VALUES ('2026-01-01', 1, 2, 3, 4, 5, 6, 7)");
    connection.close();
    return file;
  }

  it('keeps its profiles and counters, and dates what has no date by the start of the process that upgrades it', () => {
    const connection = openForWriting(oldShard());
    try {
      const undated = { firstSeen: 5, lastSeen: 6, properties: { plan: 'pro' }, dates: '' };
      expect(readProfile(connection, 1)).to.deep.equal(undated);
      expect(readUsage(connection)[0]?.counts).to.include({ idsIgnored: 7, timesReplaced: 0, fieldsIgnored: 0 });
      const started = Date.now() - process.uptime() * 1_000;
      expect(readMeta(connection).datedSince).to.be.within(started - 1_000, started + 1_000);
      saveProfiles(connection, [{ person: 1, firstSeen: 5, lastSeen: 6, properties: '{"plan":"x"}', dates: '[7,{}]' }]);
      expect(readProfile(connection, 1)).to.deep.equal({ ...undated, properties: { plan: 'x' }, dates: '[7,{}]' });
      connection.exec("UPDATE profiles SET dates = '[8,{}]'");
      expect(() => readProfile(connection, 1), 'the sum covers the dates').to.throw();
    } finally {
      connection.close();
    }
  });

  it('has no insert ids of imports', () => {
    const file = oldShard();
    const old = new Database(file);
    old.exec("INSERT INTO segments VALUES (1, 5, 1, 2, '', 0, 1, 7, 3, 4)");
    old.close();
    const connection = openForWriting(file);
    expect(readSegments(connection).map(({ ids }) => ids)).to.deep.equal([{ first: 3, last: 4, imports: false }]);
    connection.close();
  });

  it('is no matter for a new shard, which always kept dates', () => {
    const connection = openForWriting(shardPath(temporaryFolder(), 'prj_new'));
    expect(readMeta(connection).datedSince).to.equal(-Infinity);
    connection.close();
  });
});
