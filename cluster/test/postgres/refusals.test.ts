import { expect } from 'chai';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';

describe('a node that cannot use its PostgreSQL', () => {
  const schemas: PostgresLocation[] = [];
  const name = `windlass_${process.pid}_${Date.now()}`;
  let location: PostgresLocation;

  before(async () => {
    schemas.push((location = await newSchema()));
  });
  after(async () => {
    await dropSchemas(schemas);
    await run(`DROP DATABASE IF EXISTS ${name}`);
    await run(`DROP ROLE IF EXISTS ${name}`);
  });

  const run = async (text: string): Promise<void> => {
    const client = new Client(urlOf({ ...location, schema: 'public' }).replace(/\?.*/, ''));
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  };
  /** What the operator reads. */
  const told = async (options: object): Promise<string> => {
    const open = () =>
      ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location), ...options });
    const { code, message, cause, hints } = await refusal(open);
    expect(code).to.equal('storage_unavailable');
    return [message, cause, hints?.join()].filter((part) => part !== undefined).join(': ');
  };

  it('does not start on a database whose texts are not UTF-8', async () => {
    await run(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`);
    expect(await told({ engine: engineAt({ ...location, database: name, schema: 'public' }) })).to.match(
      /is SQL_ASCII: make another/,
    );
  });

  it('does not start in a schema that is not there, or where its user may make no tables, or read none', async () => {
    expect(await told({ engine: engineAt({ ...location, schema: 'nowhere' }) })).to.match(
      /schema does not exist: make it/,
    );
    await run(`CREATE ROLE ${name} LOGIN PASSWORD 'p'`);
    await run(`GRANT USAGE ON SCHEMA ${location.schema} TO ${name}`);
    const user = { engine: engineAt({ ...location, user: name, password: 'p' }) };
    expect(await told(user)).to.match(
      /refuses \(42501\): PostgreSQL: permission denied for schema .*: check user, .* in WINDLASS_CONTROL, what that user may do/,
    );
    await (await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) })).close();
    expect(await told(user)).to.match(/refuses \(42501\): PostgreSQL: permission denied for table meta/);
    await run(`DROP OWNED BY ${name}`);
  });

  it('does not start with another clock', async () => {
    for (const apart of [-120_000, 120_000])
      expect(await told({ now: () => Date.now() + apart })).to.match(
        /clocks .* 120 s apart: synchronize them with a time server/,
      );
  });

  it('says once that its clock was set, while it runs', async () => {
    let ahead = 0;
    const apart: number[] = [];
    const options = {
      secret: SECRET,
      engine: engineAt(location),
      now: () => Date.now() + ahead,
      onApart: (time: number) => apart.push(time),
    };
    const control = await ControlDatabase.open(temporaryFolder(), options);
    for (const set of [172_800_000, 0, -300_000]) {
      ahead = set;
      await pause(1_500);
    }
    await control.close();
    expect(apart.map((time) => Math.round(time / 10_000) * 10_000)).to.deep.equal([172_800_000, 300_000]);
  });

  it('does not start where something else answers, or nothing', async () => {
    for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '']) {
      const server = createServer((socket) => socket.once('data', () => answer !== '' && socket.end(answer)));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      expect(await told({ engine: engineAt({ ...location, port }) })).to.match(/does not answer .*WINDLASS_CONTROL/);
      server.close();
    }
  });
});
