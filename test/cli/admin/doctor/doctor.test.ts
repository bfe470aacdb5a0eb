import { expect } from 'chai';
import fs from 'node:fs';
import { join } from 'node:path';
import { hasFaultyKeys } from '../../../../lib/base/text/read-json.ts';
import { ControlDatabase } from '../../../../lib/control/database.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../../run-inside.ts';

interface Finding {
  readonly check: string;
  readonly found: string;
  readonly mend: string | null;
}

describe('wl admin doctor', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    await (await ControlDatabase.open(folder, { secret: null })).close();
  });

  /** The finding of one check. */
  async function told(check: string, env: Readonly<Record<string, string>> = {}): Promise<Finding> {
    const { stdout } = await wlInside(['admin', 'doctor', '--json', '--data', folder], env);
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] };
    return findings.find((finding) => finding.check === check)!;
  }
  /** Creates messages and records the receiver's answer to each. */
  async function answered(...answers: readonly (string | null)[]): Promise<void> {
    const control = await ControlDatabase.open(folder, { secret: null });
    const { webhooks } = control.operator;
    for (const answer of answers) {
      await webhooks.addTest();
      const [newest] = await webhooks.list(1);
      const delivered = answer === '204';
      if (answer !== null)
        await webhooks.tried(newest!.id, { answer, delivered, dueAt: delivered ? null : Date.now() + 60_000 });
    }
    await control.close();
  }

  it('says whether JSON.parse of this Node misreads keys, against which nothing needs to be done', async () => {
    const { found, mend } = await told('JSON');
    expect(mend).to.equal(null);
    expect(found.includes('nodejs/node#63785')).to.equal(hasFaultyKeys());
  });

  it('names a folder of backups that is not there any more, and backups that nobody makes', async () => {
    expect((await told('last backup')).mend).to.contain('WINDLASS_BACKUP_DIR');
    const target = join(temporaryFolder(), 'backups');
    expect(await told(`backups in ${target}`, { WINDLASS_BACKUP_DIR: target })).to.include({ mend: null });
    await wlJson(folder, ['admin', 'backup', target, '--keep', '2']);
    expect(await told('last backup')).to.include({ mend: null });
    expect(await told(`backups in ${target}`)).to.include({ mend: null });
    fs.renameSync(target, `${target}-away`);
    expect((await told(`backups in ${target}`)).mend).to.contain('--forget');
  });

  it('says since when the receiver of webhooks fails and what it answers, and nothing when it works', async () => {
    const url = { WINDLASS_WEBHOOK_URL: 'https://example.org/secret-path', WINDLASS_WEBHOOK_SECRET: 'x'.repeat(24) };
    expect(await told('webhooks')).to.include({ mend: null, found: 'no receiver in these settings' });
    expect(await told('webhooks', url)).to.include({ found: 'example.org is set, and nothing was sent yet' });
    await answered('204');
    expect((await told('webhooks')).found).to.contain('last answer 204');
    await answered('500', 'ECONNREFUSED', null);
    const failing = await told('webhooks');
    expect(failing.found).to.match(/^failing since 20.*, last answer (?:500|ECONNREFUSED); 3 wait, 0 given up$/);
    expect(failing.mend).to.contain('wl admin webhooks --test');
    await answered('204');
    expect(await told('webhooks')).to.include({ mend: null });
  });

  it('does not make a secret where the service has its own', async () => {
    fs.rmSync(join(folder, 'secret'));
    expect((await told('backups and webhooks')).mend).to.contain('WINDLASS_SECRET');
    expect(fs.existsSync(join(folder, 'secret'))).to.equal(false);
  });
});
