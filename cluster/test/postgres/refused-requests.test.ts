import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../../../lib/base/config/config.ts';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { startService } from '../../../lib/server/service.ts';
import { keptLog } from '../../../test/support/kept-log.ts';
import { MemoryStore } from '../../../test/support/memory-store.ts';
import { dropSchemas, newSchema, runInSchema, urlOf } from '../support/postgres-schema.ts';
import { refusal } from '../../../test/support/refusal.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';

describe('a node that PostgreSQL begins to refuse', () => {
  const role = `windlass_${process.pid}_${Date.now()}`;
  let location: PostgresLocation;

  const run = (text: string): Promise<void> => runInSchema(location, text);
  const endConnections = (): Promise<void> =>
    run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);

  before(async () => {
    const schema = await newSchema();
    location = { ...schema, user: role, password: 'p' };
    await run(`CREATE ROLE ${role} LOGIN PASSWORD 'p'; GRANT ALL ON SCHEMA ${schema.schema} TO ${role}`);
  });
  after(async () => {
    await dropSchemas([location]);
    await run(`DROP ROLE ${role}`);
  });

  it('tells its log what PostgreSQL refuses, and senders nothing of users and tables', async () => {
    const config = readConfig({
      WINDLASS_DATA: temporaryFolder(),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: 'none',
      WINDLASS_SECRET: SECRET,
      WINDLASS_CONTROL: urlOf(location),
      WINDLASS_STORE: 'clickhouse://nobody@127.0.0.1:1/events',
    });
    const { log, lines } = keptLog();
    const node = await startService({ config, log, store: () => Promise.resolve(new MemoryStore()) });
    const told = async (): Promise<string> => {
      const body = JSON.stringify({ event_type: 'e', device_id: 'd' });
      const answer = await fetch(`${node.url}/track`, {
        method: 'POST',
        headers: { 'X-API-Key': node.defaults?.secretKey ?? '' },
        body,
      });
      return `${answer.status} ${await answer.text()}`;
    };
    for (const [refuse, admit, logged] of [
      [`ALTER ROLE ${role} NOLOGIN`, `ALTER ROLE ${role} LOGIN`, `role "${role}" is not permitted to log in`],
      ['ALTER TABLE keys OWNER TO CURRENT_USER', `ALTER TABLE keys OWNER TO ${role}`, 'denied for table keys'],
    ] as const) {
      await run(refuse);
      await endConnections();
      let answer = await told();
      while (!answer.includes('refuses')) answer = await told();
      expect(answer)
        .to.match(/^503 .*the control database refuses \(\w+\)/)
        .and.not.include(role)
        .and.not.match(/denied|permitted|table keys/);
      expect(lines.map((line) => (JSON.parse(line) as { cause?: string }).cause).join('\n')).to.include(logged);
      await run(admit);
      while (!(await told()).startsWith('200')) await pause(20);
    }
    await node.close();
  });

  it('finds the server that takes changes, when it was with one that takes none', async () => {
    const control = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
    await run(`ALTER ROLE ${role} SET default_transaction_read_only = on`); // of each connection from now on, for its whole life
    await endConnections();
    let said = '';
    while (!said.includes('no changes')) said = (await refusal(() => control.organizations.create('Org'))).message;
    expect(said).to.equal('the control database takes no changes (25006)');
    const until = performance.now() + 20_000;
    while (control.answers && performance.now() < until) await control.organizations.list(); // a connection that is never idle
    expect(control.answers).to.equal(false);
    await run(`ALTER ROLE ${role} RESET default_transaction_read_only`);
    await control.organizations.create('Org').catch(() => control.organizations.create('Org'));
    while (!control.answers && performance.now() < until) await control.organizations.list();
    expect(control.answers).to.equal(true);
    await control.close();
  });
});
