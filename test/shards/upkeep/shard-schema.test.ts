import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { TEXT_RUNS } from '../../../lib/shards/dictionary/text-runs.ts';
import { openForWriting, shardPath } from '../../../lib/shards/file/shard-file.ts';
import { checkShard } from '../../../lib/shards/upkeep/check.ts';
import { oldVersions, unpackOldData } from '../../support/old-folder.ts';
import { PROJECT, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** A shard with an event, changed by somebody else. */
function changed(sql: string): string {
  const folder = temporaryFolder();
  const probe = new WriterProbe(folder);
  probe.track([{ event_type: 'a' }]);
  probe.ask({ op: 'close' });
  const file = shardPath(folder, PROJECT.id);
  const database = new Database(file);
  database.unsafeMode(); // writes to the schema itself
  database.exec(sql);
  database.close();
  return file;
}

/** Makes a table anew, with other text in its definition, and what it had. */
const other = (table: string, from: string, to: string): string =>
  `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = '${table}'`;

describe('the schema of a shard', () => {
  for (const version of oldVersions())
    it(`of version ${version} is known, before and after it is upgraded`, () => {
      const folder = temporaryFolder();
      unpackOldData(version, folder);
      for (const name of readdirSync(join(folder, 'shards')).filter((name) => name.endsWith('.db'))) {
        const file = join(folder, 'shards', name);
        expect(checkShard(file)).to.deep.equal([]);
        openForWriting(file).close();
        expect(checkShard(file)).to.deep.equal([]);
      }
    });

  it('may have the index of many texts', () => expect(checkShard(changed(TEXT_RUNS))).to.deep.equal([]));

  const strange: readonly (readonly [what: string, sql: string, problem: string])[] = [
    [
      'a check',
      other('segments', 'rows INTEGER NOT NULL', 'rows INTEGER NOT NULL CHECK (rows < 9)'),
      'its table "segments" is not',
    ],
    ['a check of a table', other('fields', 'UNIQUE)', 'UNIQUE, CHECK (id > 0))'), 'its table "fields" is not'],
    [
      'a generated column',
      'ALTER TABLE profiles ADD COLUMN g AS (zeroblob(1000000000))',
      'its table "profiles" is not',
    ],
    [
      'a default',
      other('usage', 'trimmed INTEGER NOT NULL', 'trimmed INTEGER NOT NULL DEFAULT (random())'),
      'its table "usage" is not',
    ],
    ['another type', other('columns', 'data BLOB', 'data TEXT'), 'its table "columns" is not'],
    ['a comparison of texts', other('meta', 'key TEXT', 'key TEXT COLLATE NOCASE'), 'its table "meta" is not'],
    [
      'a table that references another',
      other('bindings', 'sum INTEGER', 'sum INTEGER REFERENCES meta'),
      'its table "bindings" is not',
    ],
    ['a virtual table', 'CREATE VIRTUAL TABLE v USING fts5(a)', 'it has a table "v", which'],
    ['an index on an expression', 'CREATE INDEX i ON segments (abs(rows))', 'it has a index "i", which'],
    [
      'an index of some rows',
      'DROP INDEX columns_place; CREATE UNIQUE INDEX columns_place ON columns (segment, field) WHERE field > 0',
      'its index "columns_place" is not',
    ],
    ['one index less', 'DROP INDEX dictionaries_place', 'it lacks the index "dictionaries_place"'],
    ['a table of its own', 'CREATE TABLE mine (a)', 'it has a table "mine", which'],
    [
      'a table whose rows have no number',
      other('fields', 'UNIQUE)', 'UNIQUE) WITHOUT ROWID'),
      'its table "fields" is not',
    ],
  ];
  for (const [what, sql, problem] of strange)
    it(`with ${what} is not ours`, () => expect(checkShard(changed(sql)).join('\n')).to.contain(problem));
});
