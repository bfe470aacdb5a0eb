import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { clientOf, type ClientService } from '../client-service.ts';

const FEW = `version: 1
id: few
title: Few orders
schedule: daily 00:00
query: purchase | last 1h | count
when: any count < 2
to:
  - webhook: https://example.com/hook
`;

describe('wl alert', () => {
  let service: ClientService;
  let folder: string;
  before(async () => {
    service = clientOf(await sharedService());
  });
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const fileOf = (text: string, name = 'few.yaml'): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };

  it('validates files and folders, and says where each problem is', async () => {
    const file = fileOf(FEW);
    const right = await service.wl(['alert', 'validate', '--file', file, '--format', 'table']);
    expect([right.code, right.stdout]).to.deep.equal([0, `${file}: valid\n`]);
    fileOf(FEW.replace('any count', 'any cuont'), 'wrong.yaml');
    const { code, stdout } = await service.wl(['alert', 'validate', '--file', folder, '--format', 'table']);
    expect([code, stdout.split('\n')[0]]).to.deep.equal([1, `${folder}/wrong.yaml:6:7 the answer has no column "cuont"; did you mean count?`]); // prettier-ignore
    const told = await service.wl(['alert', 'validate', '--file', join(folder, 'wrong.yaml'), '--json']);
    expect(JSON.parse(told.stdout)).to.deep.include({ valid: false }).and.have.nested.property('problems[0].line', 6);
    const long = await service.wl(['alert', 'validate', '--file', fileOf('#'.repeat(2_000_000))]);
    expect([long.code, long.stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('2,000,000 bytes')); // prettier-ignore
  });

  it('tests what an alert would say, and stores nothing', async () => {
    const own = clientOf(await service.another());
    const fires = await own.wl(['alert', 'test', '--file', fileOf(FEW), '--format', 'table']);
    expect([fires.code, fires.stdout]).to.deep.equal([1, 'It would fire: count 0\ncount\n0\n']);
    const not = await own.wl(['alert', 'test', '--file', fileOf(FEW.replace('< 2', '> 2')), '--json']);
    expect([not.code, JSON.parse(not.stdout)]).to.deep.equal([0, { fires: false, saw: 'count 0', columns: ['count'], rows: [{ count: 0 }], total: 1 }]); // prettier-ignore
    const report = await own.wl([
      'alert',
      'test',
      '--file',
      fileOf(FEW.replace(/when: .*\n/, '')),
      '--format',
      'table',
    ]);
    expect([report.code, report.stdout]).to.deep.equal([0, 'It would send 1 row\ncount\n0\n']);
    const change = await own.wl(['alert', 'test', '--file', fileOf(FEW.replace('any count < 2', 'change < -20 %')), '--json']); // prettier-ignore
    expect(JSON.parse(change.stdout)).to.deep.include({ fires: false, columns: ['count', 'count_previous', 'count_change'] }); // prettier-ignore
    const board = await own.wl(['alert', 'test', '--file', fileOf(FEW.replace(/query: .*\nwhen: .*/, 'dashboard: growth'))]); // prettier-ignore
    expect([board.code, board.stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('a report of the dashboard growth')); // prettier-ignore
    expect(await own.json(['alert', 'list'])).to.deep.equal([]);
  });

  it('stores each file as a version, lists them, has one ask, shows its runs, and deletes it', async () => {
    const own = clientOf(await service.another());
    const file = fileOf(FEW);
    fileOf(FEW.replace('id: few', 'id: other').replace('Few', 'Other'), 'other.yml');
    const stored = await own.json(['alert', 'sync', '--file', folder]);
    expect(stored).to.have.length(2).and.to.have.nested.property('[0]').that.includes({ id: 'few', version: 1, unchanged: false }); // prettier-ignore
    expect(await own.json(['alert', 'sync', '--file', file])).to.have.nested.property('[0].unchanged', true);
    expect(await own.json(['alert', 'list'])).to.have.nested.property('[1]').that.includes({ id: 'other', title: 'Other orders', state: 'ok' }); // prettier-ignore
    expect(await own.json(['alert', 'run', 'few'])).to.deep.equal({ id: 'few', asked: true });
    let runs: unknown = [];
    while (Object(runs).length === 0) runs = await own.json(['alert', 'runs', 'few']);
    expect(runs).to.have.nested.property('[0]').that.includes({ number: 1, outcome: 'fired', saw: 'count 0' });
    expect(runs)
      .to.have.nested.property('[0].told')
      .that.matches(/^webhook example\.com: /);
    expect((await own.wl(['alert', 'delete', 'few'])).code).to.equal(1);
    expect(await own.json(['alert', 'delete', 'few', '--yes'])).to.deep.equal({ deleted: true, id: 'few' });
  });

  it('refuses two files with one id, files that are wrong, and keys that may not', async () => {
    const twice = join(folder, 'twice');
    mkdirSync(twice);
    for (const name of ['a.yaml', 'b.yaml']) writeFileSync(join(twice, name), FEW);
    const { code, stderr } = await service.wl(['alert', 'sync', '--file', twice]);
    expect([code, stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('have the same id "few"')); // prettier-ignore
    const wrong = await service.wl(['alert', 'sync', '--file', fileOf(FEW.replace('daily', 'dayly'))]);
    expect([wrong.code, wrong.stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('4:11 there is no schedule')); // prettier-ignore
    const env = { WINDLASS_API_KEY: service.keys.project.publicKey };
    const refused = await service.wl(['alert', 'list'], { env });
    expect(refused.stderr).to.include('--scopes query,dashboards');
  });
});
