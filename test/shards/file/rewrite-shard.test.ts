import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { ConnectionPool } from '../../../lib/shards/file/connections.ts';
import { rewriteShard } from '../../../lib/shards/file/rewrite-shard.ts';
import { openForWriting } from '../../../lib/shards/file/shard-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('rewriting a shard', () => {
  it('empties the log before it makes the copy, so that the disk need not have room for both', () => {
    const file = join(temporaryFolder(), 'prj_a.db');
    const connections = new ConnectionPool(openForWriting, 2);
    const connection = connections.get(file);
    connection.exec('CREATE TABLE filler (bytes BLOB)');
    connection.exec('INSERT INTO filler VALUES (randomblob(1000000))');
    expect(fs.statSync(`${file}-wal`).size).to.be.greaterThan(1_000_000);
    const logs: number[] = [];
    const prepare = connection.prepare.bind(connection);
    connection.prepare = ((sql: string) => {
      if (sql.startsWith('VACUUM')) logs.push(fs.statSync(`${file}-wal`).size);
      return prepare(sql);
    }) as typeof connection.prepare;
    rewriteShard(connections, file);
    expect(logs).to.deep.equal([0]);
    connections.close(file);
  });
});
