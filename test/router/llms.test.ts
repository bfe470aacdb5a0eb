import { expect } from 'chai';
import { ERROR_STATUS } from '../../lib/base/errors.ts';
import { SCOPES } from '../../lib/control/types.ts';
import { DASHBOARD_SCHEMA } from '../../lib/dashboards/schema.ts';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import { fetch } from '../support/checked-fetch.ts';
import { record } from '../support/open-schemas.ts';
import type { TestService } from '../support/service.ts';
import { jsonOf, startWithoutShards } from '../support/service.ts';

describe('/llms.txt', () => {
  let test: TestService;
  let text: string;
  before(async () => {
    test = await startWithoutShards({ WINDLASS_QUERIES_PER_MINUTE: '77', WINDLASS_BODY_LIMIT: '3MiB', WINDLASS_QUERY_TIMEOUT: '9s' });
    const response = await fetch(`${test.url}/llms.txt`);
    expect(response.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    text = await response.text();
  });
  after(() => test.stop());

  it('has the form of an llms.txt: a title, a summary, sections', () => {
    expect(text).to.match(/^# Windlass\n\n> \S.*\n\n/);
    expect([...text.matchAll(/^## .+$/gm)].map(([heading]) => heading)).to.include.members(['## Authentication', '## The language', '## Limits of this host', '## Errors']);
  });

  it('has commands for this host, and no others', () => {
    expect(text).to.contain(`curl -s ${test.url}/query`).and.contain(`curl -s ${test.url}/track`);
    expect(text).to.contain(`npm install -g ${test.url}/public/wl.tgz`);
    expect(text).to.match(new RegExp(`npm install ${test.url}/public/windlass-client\\.[0-9a-f]{16}\\.tgz`));
    expect(text).to.not.match(/localhost:8080|127\.0\.0\.1:8080|\{address\}/);
  });

  it('has every endpoint of /openapi.json', async () => {
    const { paths } = await jsonOf(await fetch(`${test.url}/openapi.json`));
    for (const [path, methods] of Object.entries(record(paths))) {
      for (const method of Object.keys(record(methods)).filter((name) => name !== 'parameters')) expect(text).to.contain(`- \`${method.toUpperCase()} ${path}\`: `);
    }
  });

  it('tells what it takes to call an endpoint', () => {
    const [, open = ''] = text.split('### With nothing');
    const [, session = ''] = text.split('### With the session');
    expect(open.split('##')[0]).to.contain('`GET /healthz`').and.not.contain('/api/');
    expect(session.split('##')[0]).to.contain('`POST /api/orgs`').and.not.contain('/api/admin/');
  });

  it('says of every scope of a token what it is for', () => {
    const line = text.split('\n').find((one) => one.startsWith('- `aat_`')) ?? '';
    for (const scope of SCOPES) expect(line).to.contain(`\`${scope}\` is /`);
  });

  it('has every error code with its status', () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) expect(text).to.contain(`| \`${code}\` | ${status} |`);
  });

  it('has the limits as they are set on this host', () => {
    expect(text).to.contain('- 77: Queries per minute and project').and.contain('- 3 MiB: Largest body of /track');
    expect(text).to.contain('- 9 s: Time limit of a query');
  });

  it('has the language, what to track, dashboards and tools', () => {
    expect(text).to.contain('| `funnel a -> b … [exclude e, f]` |').and.contain('### Conditions');
    expect(text).to.contain(`<script async src="${test.url}/public/wl.js"`).and.contain("wl.track('signup'");
    expect(text).to.contain(`POST ${test.url}/mcp`).and.contain('`query_many`').and.contain('kind: metric');
  });

  it('has links that all work', async () => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    expect(links).to.include.members(['/openapi.json', '/docs/agents.md', '/dashboard-schema.json'].map((path) => test.url + path));
    for (const link of new Set(links)) {
      expect(link.startsWith(test.url), link).to.equal(true);
      expect((await globalThis.fetch(link)).status, link).to.equal(200);
    }
  });

  it('shows a dashboard that is one', async () => {
    const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(text) ?? [];
    expect(checkDashboard(yaml).problems).to.deep.equal([]);
    const schema = await jsonOf(await fetch(`${test.url}/dashboard-schema.json`));
    expect(schema).to.deep.equal(JSON.parse(JSON.stringify(DASHBOARD_SCHEMA)));
  });
}); // prettier-ignore
