import Database from 'better-sqlite3';
import { expect } from 'chai';
import { join } from 'node:path';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { controlSchemaProblems } from '../../../lib/control/process/check.ts';
import { oldAnswers, oldVersions, unpackOldData } from '../../support/old-folder.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

async function folderWith(sql: string): Promise<string> {
  const folder = temporaryFolder();
  await (await ControlDatabase.open(folder, { secret: null })).close();
  const database = new Database(join(folder, 'control.db'));
  database.exec(sql);
  database.close();
  return folder;
}

describe('the schema of a control database', () => {
  for (const version of oldVersions())
    it(`of version ${version} is known, before and after its steps to this one`, async () => {
      const folder = temporaryFolder();
      unpackOldData(version, folder);
      expect(controlSchemaProblems(folder)).to.deep.equal([]);
      await (await ControlDatabase.open(folder, { secret: oldAnswers(version).secret })).close();
      expect(controlSchemaProblems(folder)).to.deep.equal([]);
    });

  it('has no part more, less, or other', async () => {
    expect(controlSchemaProblems(await folderWith(''))).to.deep.equal([]);
    const sql = `CREATE TRIGGER t AFTER INSERT ON audit BEGIN DELETE FROM keys; END; DROP TRIGGER audit_is_never_deleted;
      DROP VIEW all_projects; CREATE VIEW all_projects AS SELECT id, org_id, 1 AS deleted FROM projects;
      ALTER TABLE accounts ADD COLUMN more TEXT`;
    expect(controlSchemaProblems(await folderWith(sql))).to.have.members([
      'it has a trigger "t", which Windlass did not make',
      'its table "accounts" is not as Windlass makes it',
      'its view "all_projects" is not as Windlass makes it',
      'it lacks the trigger "audit_is_never_deleted"',
    ]);
  });
});
