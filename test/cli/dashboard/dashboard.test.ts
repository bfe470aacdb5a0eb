import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { starterDashboard } from '../../../lib/dashboards/starter.ts';
import { ControlDatabase } from '../../../lib/control/database.ts';
import { checkDashboard } from '../../../lib/dashboards/check.ts';
import { DASHBOARD_SCHEMA } from '../../../lib/dashboards/schema.ts';
import { dashboardOf, SAMPLE } from '../../dashboards/dashboard-files.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { wlInside } from '../run-inside.ts';
import { makeTenant } from '../../support/tenants.ts';
import { exitOf, startWl, type Finished } from '../run-wl.ts';

describe('wl dashboard', () => {
  let test: TestService;
  let empty: TestService;
  const folder = temporaryFolder();
  before(async () => {
    [test, empty] = await Promise.all([startTestService(), startTestService()]);
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
    expect([again.code, again.stderr]).to.deep.equal([1, `wl: ${target} already exists.\n  Use --yes to overwrite it.\n`]);
    expect((await dashboard(['init', '--output', target, '--yes'])).code).to.equal(0);
  }); // prettier-ignore

  it('init writes a starter that runs anywhere without a server or a key, and says that it looked into no project', async () => {
    const away = { WINDLASS_HOST: 'http://127.0.0.1:9', WINDLASS_API_KEY: test.keys.secretKey };
    for (const [env, why] of [
      [away, 'there is no server at http://127.0.0.1:9'],
      [{ WINDLASS_HOST: test.url }, 'there is no API key'],
    ] as const) {
      const { code, stdout, stderr } = await wlInside(['dashboard', 'init'], env);
      expect([code, stderr]).to.deep.equal([
        0,
        `wl: ${why}, so this did not look into a project: the dashboard covers any event\n`,
      ]);
      for (const on of [test, empty]) {
        const ran = await dashboard(['run', '--file', file('anywhere.yaml', stdout)], on);
        expect([ran.code, ran.stderr]).to.deep.equal([0, '']);
      }
    }
    const wrong = { WINDLASS_HOST: test.url, WINDLASS_API_KEY: 'sk_wrong' };
    expect((await wlInside(['dashboard', 'init'], wrong)).code, 'with a wrong key').to.equal(1);
  });

  it('init writes names of events as texts, whatever they are', () => {
    const events = ['a "b" {{time}} | \n# c', '{{', "'", '---'];
    expect(checkDashboard(starterDashboard(events)).problems).to.deep.equal([]);
  });

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
      `${many}/b.yml:7:12 expected\n${many}/b.yml:8:31 expected\n${many}/a.yaml: valid, 4 cards\n`,
    );
    const json = JSON.parse((await dashboard(['validate', '--file', many, '--json'], null)).stdout) as Record<string, unknown>;
    expect(json).to.deep.include({ valid: false, files: [`${many}/a.yaml`, `${many}/b.yml`] });
    expect((json['problems'] as object[])[0]).to.include({ file: `${many}/b.yml`, line: 7, column: 12 });
    expect((await dashboard(['validate', '--file', join(many, 'a.yaml')], null)).code).to.equal(0);
    const gone = await dashboard(['validate', '--file', join(many, 'gone.yaml')], null);
    expect([gone.code, gone.stderr.includes('gone.yaml: there is no such file.')]).to.deep.equal([1, true]);
    expect((await dashboard(['run', '--file', many])).stderr).to.include('many is a folder; name one of its files.');
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

  it('run prints Markdown and tables under the titles of cards and the names of queries', async () => {
    const cards = "  - {kind: markdown, text: Alone}\n  - {kind: markdown, title: Note, text: Below}\n  - id: two\n    kind: table\n    queries: {first: signup | count, second: purchase | count}";
    const path = file('two.yaml', dashboardOf(cards));
    const steady = (text: string): string => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T');
    const range = (rows: string): string => `${rows}, T to T (UTC)`;
    const markdown = await dashboard(['run', '--file', path, '--format', 'markdown']);
    expect(steady(markdown.stdout)).to.equal(
      `# Test\n\nT\n\nAlone\n\n### Note\n\nBelow\n\n### two\n\n**first**\n\n| count |\n| ---: |\n| 2 |\n\n${range('1 of 1 row')}\n\n` +
        `**second**\n\n| count |\n| ---: |\n| 1 |\n\n${range('1 of 1 row')}\n`,
    );
    const tables = await dashboard(['run', '--file', path, '--format', 'table']);
    expect(steady(tables.stdout)).to.equal(
      `\ncard-1\nAlone\n\nNote\nBelow\n\ntwo\n\nfirst\ncount\n─────\n    2\n\n${range('1 of 1 row')}\n\nsecond\ncount\n─────\n    1\n\n${range('1 of 1 row')}\n`,
    );
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
    const checked = await dashboard(['validate', '--file', many, '--format', 'table'], null);
    expect([checked.code, checked.stdout]).to.deep.equal([1, `${many}/b.yaml:1:1 ${many}/a.yaml has the same id "a"\n${many}/a.yaml: valid, 4 cards\n`]);
    writeFileSync(join(many, 'b.yaml'), named('b'));
    const stored = async (): Promise<unknown> =>
      (JSON.parse((await dashboard(['sync', '--file', many])).stdout) as Record<string, unknown>[]).map(({ id, version, unchanged }) => [id, version, unchanged]);
    expect(await stored()).to.deep.equal([['a', 1, false], ['b', 1, false]]);
    writeFileSync(join(many, 'b.yaml'), `${named('b')}# more\n`);
    expect(await stored()).to.deep.equal([['a', 1, true], ['b', 2, false]]);
    const personal = await dashboard(['sync', '--file', join(many, 'a.yaml'), '--visibility', 'personal']);
    expect([personal.code, personal.stderr.includes('belong to the member who created the token')]).to.deep.equal([1, true]);
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

  it('save makes one file of the data of this moment, without a key, and says which cards failed', async () => {
    const path = file(
      'save.yaml',
      dashboardOf("  - {id: n, title: '</script><script>alert(1)</script>', kind: metric, query: signup | count}"),
    );
    const target = join(folder, 'report.html');
    const annotated = await test.post('/annotations', { text: 'Version 9', at: '2026-11-20T10:00:00Z' });
    const saved = await dashboard(['save', '--file', path, '--output', target]);
    expect([saved.code, saved.stdout, saved.stderr]).to.deep.equal([0, '', `wl: wrote ${target}\n`]);
    const html = readFileSync(target, 'utf8');
    expect(html).to.include('{"at":"2026-11-20T10:00:00.000Z","text":"Version 9"}');
    const { id } = (await annotated.json()) as { id: string };
    await fetch(`${test.url}/annotations/${id}`, { method: 'DELETE', headers: { 'X-API-Key': test.keys.secretKey } });
    expect(html).to.include('"state":"ready"').and.to.include('connect-src &#39;none&#39;');
    expect(html).not.to.include(test.keys.secretKey).and.not.to.include('<script>alert');
    const away = await wlInside(['dashboard', 'save', '--file', path, '--output', '-'], {
      WINDLASS_HOST: 'http://127.0.0.1:1',
      WINDLASS_API_KEY: 'sk_x',
    });
    expect([away.code, away.stdout.includes('"state":"error"')]).to.deep.equal([1, true]);
    expect(away.stderr)
      .to.match(/^wl: annotations: .*$/m)
      .and.match(/^wl: card n: /m);
  });

  it('save takes for an interactive file an access token that may only ask, from the variable that is named, and no other key', async () => {
    const path = file('save.yaml', dashboardOf('  - {id: n, kind: metric, query: signup | count}'));
    const target = join(folder, 'interactive.html');
    const { tokens, projectId } = await makeTenant(test, 'Acme');
    const save = (token: string | null, words: readonly string[] = ['--token-env', 'BOARD_TOKEN']): Promise<Finished> =>
      wlInside(['dashboard', 'save', '--file', path, '--output', target, '--yes', '--mode', 'interactive', ...words], {
        WINDLASS_HOST: test.url,
        ...(token === null ? {} : { BOARD_TOKEN: token }),
      });
    expect((await save(null, [])).stderr).to.include('--mode interactive needs --token-env NAME');
    expect((await save(null)).stderr).to.include('The variable BOARD_TOKEN is empty.');
    expect((await save(test.keys.secretKey)).stderr).to.include(
      'does not hold an access token (aat_), the only key allowed in a file',
    );
    const control = await ControlDatabase.open(test.folder, { secret: null });
    const wide = await control.tokens.create(
      { projectId, name: 'wide', scopes: ['query', 'admin'] },
      { name: 'test', ip: null },
    );
    await control.close();
    for (const [key, scopes] of [
      [tokens.dashboards.key, 'dashboards'],
      [wide.key, 'query,admin'],
    ] as const)
      expect((await save(key)).stderr).to.include(
        `The token in BOARD_TOKEN has the scopes ${scopes}: a token in a file may only have the scope "query".`,
      );
    expect((await save('aat_unknown')).stderr).to.include('unknown, revoked or expired');
    expect(existsSync(target)).to.equal(false);
    writeFileSync(target, 'before', { mode: 0o644 });
    const { code, stderr } = await save(tokens.query.key);
    expect([code, stderr.includes('anyone with this file can query the project')]).to.deep.equal([0, true]);
    expect(statSync(target).mode & 0o777).to.equal(0o600);
    expect(readFileSync(target, 'utf8')).to.include(tokens.query.key).and.to.include(`connect-src ${test.url}`);
  });

  it('view shows the page to who has its address, answers with the rows of the server, and ends well', async () => {
    const path = file('view.yaml', dashboardOf('  - {id: n, kind: metric, query: signup | count}'));
    const child = startWl(['dashboard', 'view', '--file', path], {
      WINDLASS_HOST: test.url,
      WINDLASS_API_KEY: test.keys.secretKey,
    });
    const ended = exitOf(child);
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const { url } = JSON.parse(printed.toString()) as { url: string };
    const first = await fetch(url, { redirect: 'manual' });
    const headers = {
      Cookie: first.headers.getSetCookie().join().split(';')[0] ?? '',
      'Content-Type': 'application/json',
    };
    const { origin } = new URL(url);
    expect(await (await fetch(`${origin}/dashboard/test`, { headers })).text()).to.include('/assets/dashboards.js');
    expect((await fetch(`${origin}/assets/dashboards.js`, { headers })).headers.get('content-type')).to.include(
      'text/javascript',
    );
    const body = JSON.stringify({ q: 'signup | count', timezone: 'Asia/Tokyo', limit: 5 });
    const answer = (await (await fetch(`${origin}/api/query`, { method: 'POST', headers, body })).json()) as Record<
      string,
      unknown
    >;
    expect(answer).to.deep.include({ columns: ['count'], rows: [{ count: 2 }] });
    expect(answer).to.have.nested.property('range.timezone', 'Asia/Tokyo');
    child.kill('SIGINT');
    expect(await ended).to.equal(0);
  });
});

function rowsOf(card: Record<string, unknown> | undefined, of: 'queries' | 'previous'): unknown {
  return (card?.[of] as { query: { rows: unknown } } | undefined)?.query.rows;
}
