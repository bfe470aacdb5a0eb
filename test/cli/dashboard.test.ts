import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkDashboard } from '../../lib/dashboards/check.ts';
import { DASHBOARD_SCHEMA } from '../../lib/dashboards/schema.ts';
import { dashboardOf, SAMPLE } from '../dashboards/dashboard-files.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wlInside } from './run-inside.ts';
import type { Finished } from './run-wl.ts';

describe('wl dashboard', () => {
  let test: TestService;
  let empty: TestService;
  const folder = temporaryFolder();
  before(async () => {
    [test, empty] = await Promise.all([startTestService({ WINDLASS_QUERY_TIMEOUT: '2s' }), startTestService()]);
    const events = ['signup', 'signup', 'purchase'].map((name, index) => ({
      event_type: name,
      user_id: `u${index}`,
      event_properties: { plan: index === 0 ? 'pro' : 'free', note: 'a | b\n# c' },
    }));
    await test.post('/track', { events });
  });
  after(() => Promise.all([test.stop(), empty.stop()]));

  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const dashboard = (words: readonly string[], on: TestService | null = test): Promise<Finished> =>
    wlInside(
      ['dashboard', ...words],
      on === null ? {} : { WINDLASS_HOST: on.url, WINDLASS_API_KEY: on.keys.secretKey },
    );

  it('init writes a starter that is right and runs, on a project with events and on one without', async () => {
    for (const [on, title] of [[test, 'signup'], [empty, null], [null, null]] as const) {
      const { code, stdout, stderr } = await dashboard(['init'], on);
      expect([code, stderr === ''], stderr).to.deep.equal([0, on !== null]);
      expect(checkDashboard(stdout).problems).to.deep.equal([]);
      if (title !== null) expect(stdout).to.include(`title: ${title}`);
      const ran = await dashboard(['run', '--file', file('starter.yaml', stdout)], on ?? empty);
      expect([ran.code, ran.stderr]).to.deep.equal([0, '']);
    }
    const target = join(folder, 'starter.yaml');
    const again = await dashboard(['init', '--output', target]);
    expect([again.code, again.stderr]).to.deep.equal([1, `wl: ${target} is there already.\n  --yes writes over it.\n`]);
    expect((await dashboard(['init', '--output', target, '--yes'])).code).to.equal(0);
  }); // prettier-ignore

  it('schema prints the schema that files are checked with', async () => {
    const { stdout } = await dashboard(['schema'], null);
    expect(JSON.parse(stdout)).to.deep.equal(JSON.parse(JSON.stringify(DASHBOARD_SCHEMA)));
  });

  it('validate tells every problem of every file, as lines and as JSON, and asks no server', async () => {
    const many = join(folder, 'many');
    mkdirSync(many);
    writeFileSync(join(many, 'a.yaml'), SAMPLE);
    writeFileSync(join(many, 'b.yml'), dashboardOf('  - {kind: tabel, query: signup}\n  - {kind: table, query: sign up}'));
    writeFileSync(join(many, 'notes.txt'), 'x');
    const lines = await dashboard(['validate', '--file', many, '--format', 'table'], null);
    expect(lines.code).to.equal(1);
    expect(lines.stdout.replace(/(expected).*/g, '$1')).to.equal(
      `${many}/b.yml:7:12 expected\n${many}/b.yml:8:31 expected\n${many}/a.yaml is right: 4 cards\n`,
    );
    const json = JSON.parse((await dashboard(['validate', '--file', many, '--json'], null)).stdout) as Record<string, unknown>;
    expect(json).to.deep.include({ valid: false, files: [`${many}/a.yaml`, `${many}/b.yml`] });
    expect((json['problems'] as object[])[0]).to.include({ file: `${many}/b.yml`, line: 7, column: 12 });
    expect((await dashboard(['validate', '--file', join(many, 'a.yaml')], null)).code).to.equal(0);
    const gone = await dashboard(['validate', '--file', join(many, 'gone.yaml')], null);
    expect([gone.code, gone.stderr.includes('cannot be read')]).to.deep.equal([1, true]);
  }); // prettier-ignore

  it('run prints the data of every card, fails with the card that fails, and leaves the others', async () => {
    const variables = "[{name: plan, kind: select, options: [pro, free], any: Any, fragment: 'where event_properties.plan = {{value}}'}]";
    const path = file('run.yaml', dashboardOf("  - {id: n, kind: metric, query: 'signup | {{plan}} | count'}\n  - {id: t, kind: table, query: '* | count by event_properties.note'}\n  - {id: m, kind: markdown, text: Hi}", variables));
    const json = await dashboard(['run', '--file', path, '--var', 'plan=pro', '--json']);
    expect([json.code, json.stderr]).to.deep.equal([0, '']);
    const { values, sections } = JSON.parse(json.stdout) as { values: object; sections: { cards: Record<string, unknown>[] }[] };
    expect(values).to.deep.equal({ plan: 'pro' });
    const [number, table, markdown] = sections[0]?.cards ?? [];
    expect(number).to.include({ id: 'n', kind: 'metric', viz: 'number', state: 'ready' });
    expect(rowsOf(number, 'queries')).to.deep.equal([{ count: 1 }]);
    expect(rowsOf(number, 'previous')).to.deep.equal([{ count: 0 }]);
    expect(rowsOf(table, 'queries')).to.deep.equal([{ 'event_properties.note': 'a | b\n# c', count: 3 }]);
    expect(markdown).to.include({ text: 'Hi', state: 'ready' });
    const text = (await dashboard(['run', '--file', path, '--format', 'markdown'])).stdout;
    expect(text).to.include('# Test').and.to.include('| a \\| b\\n# c | 3 |').and.to.include('\nHi\n');

    const unsound = file('unsound.yaml', dashboardOf('  - {kind: table, query: sign up}'));
    expect((await dashboard(['run', '--file', unsound])).stderr).to.match(/has a problem:\n {2}.*unsound\.yaml:7:31 /);
    const wrong = await dashboard(['run', '--file', path, '--var', 'plam=x', '--var', 'plan=gold']);
    expect([wrong.code, wrong.stdout]).to.deep.equal([1, '']);
    expect(wrong.stderr).to.include('there is no variable "plam"; did you mean "plan"?').and.to.include('there is no option "gold"');
  }); // prettier-ignore

  it('run says in a sentence that the server is away, or that a key is wrong', async () => {
    const path = file('one.yaml', dashboardOf('  - {id: one, kind: table, query: signup}\n  - {id: two, kind: table, query: purchase}'));
    const away = await wlInside(['dashboard', 'run', '--file', path], { WINDLASS_HOST: 'http://127.0.0.1:1', WINDLASS_API_KEY: 'sk_x' });
    expect(away.code).to.equal(1);
    expect(away.stderr).to.match(/^wl: card one: .*127\.0\.0\.1:1.*\n(.*\n)*wl: card two: /);
    const { stderr } = await wlInside(['dashboard', 'run', '--file', path], { WINDLASS_HOST: test.url, WINDLASS_API_KEY: 'sk_x' });
    expect(stderr.match(/unknown, revoked or expired/g)).to.have.length(1);
  }); // prettier-ignore

  it('run makes a query that takes too long the error of its card, with the rows of the others', async () => {
    const timeout = { error: 'The query ran out of time after 25 s.', hints: ['Ask for a shorter range.'] };
    const answer = await (await test.post('/query', { q: 'purchase', format: 'json', envelope: true })).text();
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
        const isSlow = Buffer.concat(parts).toString().includes('signup');
        response.writeHead(isSlow ? 504 : 200, { 'Content-Type': 'application/json' }).end(isSlow ? JSON.stringify(timeout) : answer);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const path = file('slow.yaml', dashboardOf('  - {id: one, kind: table, query: signup}\n  - {id: two, kind: table, query: purchase}'));
    const env = { WINDLASS_HOST: `http://127.0.0.1:${port}`, WINDLASS_API_KEY: 'sk_x' };
    const { code, stdout, stderr } = await wlInside(['dashboard', 'run', '--file', path, '--json'], env);
    expect([code, stderr]).to.deep.equal([1, 'wl: card one: The query ran out of time after 25 s.\n  Ask for a shorter range.\n']);
    const [one, two] = (JSON.parse(stdout) as { sections: { cards: Record<string, unknown>[] }[] }).sections[0]?.cards ?? [];
    expect(one).to.include({ state: 'error', message: timeout.error, hint: timeout.hints[0] });
    expect(rowsOf(two, 'queries')).to.deep.equal([{ count: 1 }]);
    server.close();
    server.closeAllConnections();
  }); // prettier-ignore

  it('sync stores what is right and nothing else; what is unchanged is said; list and pull have it', async () => {
    const many = join(folder, 'sync');
    mkdirSync(many);
    const named = (id: string): string => SAMPLE.replace('id: sample', `id: ${id}`);
    writeFileSync(join(many, 'a.yaml'), named('a'));
    writeFileSync(join(many, 'b.yaml'), 'version: 1');
    expect((await dashboard(['sync', '--file', many])).stderr).to.include('b.yaml:1:1 the dashboard lacks `title`');
    expect((await dashboard(['list'])).stdout).to.equal('[]\n');
    writeFileSync(join(many, 'b.yaml'), named('a'));
    expect((await dashboard(['sync', '--file', many])).stderr).to.include('have the same id "a"');
    writeFileSync(join(many, 'b.yaml'), named('b'));
    const stored = async (): Promise<unknown> =>
      (JSON.parse((await dashboard(['sync', '--file', many])).stdout) as Record<string, unknown>[]).map(({ id, version, unchanged }) => [id, version, unchanged]);
    expect(await stored()).to.deep.equal([['a', 1, false], ['b', 1, false]]);
    writeFileSync(join(many, 'b.yaml'), `${named('b')}# more\n`);
    expect(await stored()).to.deep.equal([['a', 1, true], ['b', 2, false]]);
    const personal = await dashboard(['sync', '--file', join(many, 'a.yaml'), '--visibility', 'personal']);
    expect([personal.code, personal.stderr.includes('belongs to the member who made the token')]).to.deep.equal([1, true]);
    const listed = JSON.parse((await dashboard(['list'])).stdout) as Record<string, unknown>[];
    expect(listed.map(({ id, version }) => [id, version])).to.deep.equal([['a', 1], ['b', 2]]);
    const target = join(folder, 'pulled.yaml');
    await dashboard(['pull', 'b', '--output', target]);
    expect(readFileSync(target, 'utf8')).to.equal(`${named('b')}# more\n`);
    expect((await dashboard(['pull', 'b', '--revision', '1'])).stdout).to.equal(named('b'));
    expect((await dashboard(['pull', 'c'])).stderr).to.include('There is no such dashboard.');
    const withId = file('noid.yaml', SAMPLE.replace('id: sample\n', ''));
    expect((await dashboard(['sync', '--file', withId])).stderr).to.include('has no `id`');
  }); // prettier-ignore
});

function rowsOf(card: Record<string, unknown> | undefined, of: 'queries' | 'previous'): unknown {
  return (card?.[of] as { query: { rows: unknown } } | undefined)?.query.rows;
}
