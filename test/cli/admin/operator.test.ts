import { chmodSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside, wlJson } from '../run-inside.ts';

const BY = { name: 'test', ip: null };

describe('wl admin for a host', () => {
  let folder: string;
  let org: string;
  let project: string;
  before(async () => {
    folder = temporaryFolder();
    const control = await ControlDatabase.open(folder, { secret: null });
    org = (await control.organizations.create('=cmd(), "Inc"')).organization.id;
    project = (await control.projects.create(org, 'Shop', BY)).project.id;
    control.usage.addQueries(project, '2026-01-15', 4, 8.6);
    await control.close();
  });

  it('usage: prints a month as CSV, names that are formulas made harmless', async () => {
    const { code, stdout } = await wlInside(['admin', 'usage', '--month', '2026-01', '--csv', '--data', folder]);
    expect(code).to.equal(0);
    const name = `"'=cmd(), ""Inc"""`;
    expect(stdout.trimEnd().split('\r\n')).to.deep.equal([
      'month,org_id,org_name,project_id,project_name,events_ingested,events_stored,queries_run,query_ms,billable_events,amount_usd',
      `2026-01,${org},${name},,,0,0,4,9,0,0`,
      `2026-01,${org},${name},${project},Shop,0,0,4,9,,`,
    ]);
  });

  it('doctor: finds nothing on a sound host but what is its own, and names permissions and settings that are wrong', async () => {
    type Told = { findings: readonly { check: string; mend: string | null }[] };
    const told = async (env: Record<string, string>): Promise<Map<string, string | null>> => {
      const { stdout } = await wlInside(['admin', 'doctor', '--json', '--data', folder], env);
      const { findings } = JSON.parse(stdout) as Told;
      return new Map(findings.map(({ check, mend }) => [check, mend]));
    };
    const names = (): readonly string[] => readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));
    const before = names();
    const sound = await told({});
    for (const check of ['versions', 'settings', 'permissions', 'clock', 'control database', 'left over', 'address'])
      expect(sound.get(check), check).to.equal(null);
    expect([...sound.keys()]).to.include.members(['fsync', 'disk speed', 'free space', 'memory', 'descriptors']);
    expect(names(), 'it leaves nothing behind').to.deep.equal(before);
    chmodSync(folder, 0o755);
    const ill = await told({ WINDLASS_ADR: 'x', WINDLASS_ADDR: '0.0.0.0:80' });
    chmodSync(folder, 0o700);
    for (const check of ['settings', 'permissions', 'address'])
      expect(ill.get(check), check).to.be.a('string').and.not.equal('');
    expect(ill.get('settings')).to.contain('WINDLASS_ADR');
  });

  it('org set, suspend and resume, told in the audit trail like new limits, with the old and the new value', async () => {
    const own = (await wlJson(folder, ['admin', 'org', 'create', 'Other'])) as { id: string };
    const run = (...line: string[]): Promise<unknown> => wlJson(folder, ['admin', ...line]);
    expect(await run('org', 'set', own.id, '--name', 'Other Inc')).to.deep.include({ id: own.id, name: 'Other Inc' });
    const suspended = { what: 'all', reason: 'unpaid' };
    expect(await run('org', 'suspend', own.id, '--reason', 'unpaid')).to.deep.include({ id: own.id, suspended });
    const made = (await run('project', 'create', 'Shop', '--org', own.id)) as { id: string };
    const [listed] = (await run('project', 'list', '--org', own.id)) as { suspensions: unknown }[];
    expect(listed?.suspensions).to.deep.equal([{ by: 'operator', of: 'organization', ...suspended }]);
    expect(await run('project', 'set', made.id, '--name', 'Web shop')).to.deep.include({ name: 'Web shop' });
    expect(await run('org', 'resume', own.id)).to.deep.include({ suspended: null });
    await run('limits', own.id, '--weight', '2');
    await using control = await ControlDatabase.open(folder, { secret: null });
    const { entries } = await control.audit.page(own.id);
    const words = entries.map(({ actor, action, changes }) => `${actor}: ${action} ${JSON.stringify(changes)}`);
    expect(words.toReversed()).to.deep.equal([
      'wl admin: org.update {"name":{"from":"Other","to":"Other Inc"}}',
      'wl admin: org.suspend {"what":{"from":null,"to":"all"},"reason":{"from":null,"to":"unpaid"}}',
      'wl admin: project.create null',
      'wl admin: project.update {"name":{"from":"Shop","to":"Web shop"}}',
      'wl admin: org.resume {"what":{"from":"all","to":null},"reason":{"from":"unpaid","to":null}}',
      'wl admin: limits.update {"weight":{"from":1,"to":2}}',
    ]);
    await run('org', 'delete', own.id, '--name', 'Other Inc');
  });

  it('project suspend and resume, then org delete, which takes the right name alone', async () => {
    const suspended = ['admin', 'project', 'suspend', project, '--reason', 'unpaid'];
    expect(await wlJson(folder, suspended)).to.deep.include({ suspended: { what: 'all', reason: 'unpaid' } });
    expect(await wlJson(folder, ['admin', 'project', 'resume', project])).to.include({ suspended: null });
    const wrong = await wlInside(['admin', 'org', 'delete', org, '--name', 'Other', '--data', folder]);
    expect([wrong.code, wrong.stderr.includes('not named')]).to.deep.equal([1, true]);
    const args = ['admin', 'org', 'delete', org, '--name', '=cmd(), "Inc"'];
    expect(await wlJson(folder, args)).to.deep.equal({ deleted: true, id: org, projects: [project] });
    expect(await wlJson(folder, ['admin', 'org', 'list'])).to.deep.equal([]);
  });
});
