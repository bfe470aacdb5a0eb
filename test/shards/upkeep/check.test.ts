import Database from 'better-sqlite3';
import { expect } from 'chai';
import { shardPath } from '../../../lib/shards/file/shard-file.ts';
import { sumOf } from '../../../lib/shards/file/stored-bytes.ts';
import { checkShard } from '../../../lib/shards/upkeep/check.ts';
import { PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)';

describe('the check of a shard', () => {
  it('names triggers and views, and reads nothing through them', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    probe.track([{ event_type: 'a' }]);
    probe.ask({ op: 'close' });
    const file = shardPath(folder, PROJECT.id);
    expect(checkShard(file)).to.deep.equal([]);
    const database = new Database(file);
    database.exec(`DROP TABLE profiles; CREATE VIEW profiles AS ${ENDLESS} SELECT * FROM n`);
    database.exec(`CREATE TRIGGER t AFTER INSERT ON segments BEGIN DELETE FROM usage; END`);
    database.close();
    expect(checkShard(file)).to.deep.equal([
      'it has a view "profiles", which Windlass did not make',
      'it has a trigger "t", which Windlass did not make',
      'it lacks the table "profiles"',
    ]);
  });

  it('names codes that the dictionary lacks, which would be used as indexes', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    probe.track([{ event_type: 'a', event_properties: { b: 'text' } }]);
    probe.ask({ op: 'close' });
    const file = shardPath(folder, PROJECT.id);
    const database = new Database(file);
    database.exec('DELETE FROM dictionaries WHERE field = 4');
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(0xfffffff0, 0);
    const insert = database.prepare('INSERT INTO bindings (first, count, data, sum) VALUES (0, 1, ?, ?)');
    insert.run(entry, sumOf(entry));
    database.close();
    expect(checkShard(file)).to.deep.equal([
      'segment 1, column 4: it has code 1, which its dictionary lacks',
      'bindings: it has code 4294967280, which its dictionary lacks',
    ]);
  });

  it('names values of small tables that no writer stores', () => {
    const folder = temporaryFolder();
    const probe = new WriterProbe(folder);
    probe.track([{ event_type: 'a' }]);
    probe.ask({ op: 'close' });
    const file = shardPath(folder, PROJECT.id);
    const database = new Database(file);
    database.exec(`UPDATE meta SET value = 'x' WHERE key = 'incarnation'; INSERT OR REPLACE INTO meta VALUES ('next_arrival', 1e300);
      UPDATE usage SET stored = -1, date = 'x'; INSERT INTO fields (id, key) VALUES (5000, x'00');
      INSERT INTO segments (id, rows, first, last, types, tidy, live, ids_first) VALUES (7, 'x', 2, 1, '', 5, 0, 0.5)`);
    database.close();
    expect(checkShard(file)).to.deep.equal([
      'meta "incarnation": "x" is not a count',
      'meta "next_arrival": 1e+300 is not a count',
      'segment 7: it cannot have "x" rows',
      'segment 7: its times are not in order',
      'segment 7: its state is unknown',
      'segment 7: its arrivals are not counts',
      'field 5000: it has no text as its key',
      'usage of "x": not a day with its counts',
    ]);
  });
});
