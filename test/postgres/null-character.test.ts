import { expect } from 'chai';
import type { PostgresLocation } from '../../lib/base/config/postgres-location.ts';
import { AppError } from '../../lib/base/errors.ts';
import { ControlDatabase } from '../../lib/control/database.ts';
import { dropSchemas, newSchema } from '../support/postgres-schema.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('an id with the character U+0000, which PostgreSQL keeps in no text', () => {
  let location: PostgresLocation;
  let control: ControlDatabase;

  before(async () => {
    location = await newSchema();
    control = await ControlDatabase.open(temporaryFolder(), { secret: 'a secret of all nodes', location });
  });
  after(async () => {
    await control.close();
    await dropSchemas([location]);
  });

  it('is a mistake of whoever sent it, not of the service', async () => {
    const outcome: unknown = await control.projects.get('prj_\0').catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(AppError);
    expect((outcome as AppError).data).to.include({ code: 'bad_request' });
    expect((outcome as AppError).message).to.include('U+0000');
  });
});
