import { expect } from 'chai';
import type { PostgresLocation } from '../../../lib/base/config/postgres-location.ts';
import { AppError } from '../../../lib/base/errors.ts';
import { engineAt } from '../../../lib/cluster.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { fetch } from '../../../test/support/checked-fetch.ts';
import { dropSchemas, newSchema, urlOf } from '../support/postgres-schema.ts';
import { startWithoutShards, type TestService } from '../../../test/support/service.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const SECRET = 'a secret of all nodes';

describe('an id with the character U+0000, which PostgreSQL keeps in no text', () => {
  let location: PostgresLocation;
  let control: ControlDatabase;
  let service: TestService;

  before(async () => {
    location = await newSchema();
    const settings = { WINDLASS_CONTROL: urlOf(location), WINDLASS_SECRET: SECRET, WINDLASS_URL: 'http://localhost' };
    // The store in memory takes the place of the address, which is only wanted.
    service = await startWithoutShards({ ...settings, WINDLASS_STORE: 'clickhouse://u@localhost:1/d' });
    control = await ControlDatabase.open(temporaryFolder(), { secret: SECRET, engine: engineAt(location) });
  });
  after(async () => {
    await Promise.all([control.close(), service.stop()]);
    await dropSchemas([location]);
  });

  it('is a mistake of whoever sent it, not of the service', async () => {
    const outcome: unknown = await control.projects.get('prj_\0').catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(AppError);
    expect((outcome as AppError).data).to.include({ code: 'bad_request' });
    expect((outcome as AppError).message).to.include('U+0000');
  });

  it('in a path is one of nothing', async () => {
    const { adminKey } = await control.organizations.create('Acme');
    const { secretKey } = service.keys;
    for (const [method, path, key] of [
      ['GET', '/api/admin/projects/prj_%00', adminKey],
      ['PATCH', '/api/admin/projects/%00', adminKey],
      ['DELETE', '/api/admin/projects/prj_%00/tokens/tok_1', adminKey],
      ['GET', '/dashboards/sales%00', secretKey],
      ['DELETE', '/dashboards/%00', secretKey],
    ] as const) {
      const body = method === 'PATCH' ? { body: JSON.stringify({ name: 'Shop' }) } : {};
      const answer = await fetch(service.url + path, { method, headers: { 'X-API-Key': key }, ...body });
      expect(answer.status, `${method} ${path}`).to.equal(404);
    }
  });
});
