import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Served } from '../support/served.ts';
import { Browser } from '../support/session-browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the demo of npm start', () => {
  it('has its dashboards and events of 60 days, and is opened by a link that logs in once', async () => {
    const data = temporaryFolder();
    const served = new Served(data);
    try {
      const url = await served.ready();
      const program = `const { fillDemoProject, loginLink } = await import('./scripts/demo.mjs');
        const at = ${JSON.stringify({ url, data })};
        await fillDemoProject(at);
        console.log(loginLink(at)); console.log(loginLink(at));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
      expect(stdout)
        .to.match(/^Project "Demo" \(prj_[\w-]+\) has \d+,\d+ events of /m)
        .and.contain('five dashboards');
      const links = stdout.split('\n').filter((line) => line.startsWith(url));
      expect(new Set(links).size, 'each start prints another').to.equal(2);
      for (const link of links) {
        const { searchParams } = new URL(link);
        const browser = new Browser(url);
        const body = new URLSearchParams({ token: searchParams.get('token') ?? '', return_to: searchParams.get('return_to') ?? '' }); // prettier-ignore
        const { headers } = await browser.send('/auth/link', { method: 'POST', body });
        const path = headers.get('location') ?? '';
        expect(path).to.match(/^\/console\/projects\/prj_[\w-]+\/dashboards\/product-overview$/);
        expect((await browser.get(path)).status).to.equal(200);
        const [, , , project = ''] = path.split('/');
        const stored: unknown = await (await browser.get(`/api/projects/${project}/dashboards`)).json();
        expect(stored).to.be.an('array').that.has.length(5);
        const earlier = await browser.call('POST', `/api/projects/${project}/query`, { q: '* | last 60d | count by day | sort day', format: 'json' }); // prettier-ignore
        const days: unknown = await earlier.json();
        expect(Array.isArray(days) ? days.filter(({ count }) => count > 0).length : 0).to.be.at.least(59);
      }
    } finally {
      served.kill('SIGKILL');
      await served.exited;
    }
  });
});
