import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describeApi } from '../../lib/router/routes.ts';
import { wlJson } from '../cli/run-inside.ts';
import { record } from '../support/open-schemas.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PAGE = readFileSync('docs/operator-api.md', 'utf8');

describe('docs/operator-api.md', () => {
  const folder = temporaryFolder();
  let test: TestService;
  before(async () => (test = await startTestService()));
  after(() => test.stop());

  it('has a script that makes fifty customers, and none twice when it runs again', async () => {
    const script = join(folder, 'customers.mjs');
    writeFileSync(script, PAGE.split('```js\n')[1]?.split('```')[0] ?? '');
    const made = record(await wlJson(test.folder, ['admin', 'operator-key', 'create', 'customers']));
    const env = { ...process.env, WINDLASS_HOST: test.url, OPERATOR_KEY: String(made['key']) };
    const run = async (): Promise<string[][]> => {
      const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
      return stdout.trim().split('\n').map((line) => line.split('\t')); // prettier-ignore
    };
    const [first, second] = [await run(), await run()];
    expect(first.length).to.equal(50);
    expect(second.map(([name, key, token]) => [name, key, token])).to.deep.equal(first.map(([name, key, token]) => [name, key, token])); // prettier-ignore
    const organizations = (await wlJson(test.folder, ['admin', 'org', 'list'])) as { name: string; limits: object }[];
    const customers = organizations.filter(({ name }) => name.startsWith('Customer '));
    expect(customers.length).to.equal(50);
    for (const { limits } of customers) expect(limits).to.deep.equal({ projects: 5, events_per_month: 1_000_000, weight: 1 });
  }); // prettier-ignore

  it('names every path of the operator API', () => {
    const paths = Object.keys(record(describeApi()['paths'])).filter((path) => path.startsWith('/operator/'));
    expect(paths.length).to.be.above(10);
    for (const path of paths) {
      const [start = path, ...rest] = path.split(/(?=\/(?:tokens|suspend|resume|rotate-secret-key|audit|usage)\b)/);
      expect(PAGE, path).to.include(`\`${start}`);
      for (const end of rest) expect(PAGE, path).to.include(end.split('/{')[0]);
    }
  });
});
