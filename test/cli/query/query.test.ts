import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { clientOf } from '../client-service.ts';
import type { ClientService } from '../client-service.ts';
import { json, ScriptedServer } from '../scripted-server.ts';
import { wlInside as wl } from '../run-inside.ts';
import { sharedService } from '../../support/shared-service.ts';

describe('wl query', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
    const events = [
      { event_type: 'signup', user_id: 'ann', event_properties: { plan: 'pro', name: '日本 🎉' } },
      { event_type: 'signup', user_id: 'bob', event_properties: { plan: 'free', name: 'a,"b"\r\n=c\u009b2J' } },
      { event_type: 'purchase', user_id: 'ann', event_properties: { amount: 12.5 } },
    ];
    await service.post('/track', { events });
  });

  it('prints the rows as indented JSON in a pipe, and nothing on stderr', async () => {
    const { code, stdout, stderr } = await service.wl(['query', '* | count by event_type']);
    const rows = [{ event_type: 'signup', count: 2 }, { event_type: 'purchase', count: 1 }]; // prettier-ignore
    expect({ code, stdout, stderr }).to.deep.equal({
      code: 0,
      stdout: `${JSON.stringify(rows, null, 2)}\n`,
      stderr: '',
    });
    expect((await service.wl(['q', '* | count by event_type', '--json'])).stdout).to.equal(stdout);
    expect((await service.wl(['--json', '--timeout', '10s', 'q', '* | count by event_type'])).stdout).to.equal(stdout);
  });

  it('says on stderr what Markdown says in notes, where JSON has only rows', async () => {
    const { stdout, stderr } = await service.wl(['query', 'singup | count']);
    expect(JSON.parse(stdout)).to.deep.equal([{ count: 0 }]);
    expect(stderr).to.match(/^wl: note: .*signup.*\n$/);
  });

  it('refuses an empty --api-key rather than take another key', async () => {
    const { code, stderr } = await service.wl(['query', '* | count', '--api-key', '']);
    expect({ code, stderr }).to.deep.equal({ code: 1, stderr: 'wl: --api-key is empty\nSee: wl query --help\n' });
  });

  it('hands CSV and Markdown on byte by byte', async () => {
    for (const [format, server] of [['csv', 'csv'], ['markdown', 'llm']] as const) {
      const q = 'signup | count by event_properties.name | from 2020-01-01 to 2100-01-01';
      const { stdout } = await service.wl(['query', q, '--format', format]);
      const answer = await (await service.post('/query', { q, format: server })).text();
      const withoutTime = (text: string): string => text.replace(/\d+ ms/, 'ms');
      expect(withoutTime(stdout), format).to.equal(withoutTime(answer));
    }
  }); // prettier-ignore

  it('draws a table with a footer of rows, range, time and notes', async () => {
    const { stdout } = await service.wl(['query', 'signup | count by event_properties.plan', '--format', 'table']);
    const lines = stdout.split('\n');
    expect(lines.slice(0, 5)).to.deep.equal([
      'event_properties.plan  count',
      '─────────────────────  ─────',
      'free                       1',
      'pro                        1',
      '',
    ]);
    expect(lines[5]).to.match(/^2 of 2 rows, \S+Z to \S+Z \(UTC\), \d+ ms$/);
    const unknown = await service.wl(['query', 'singup | count', '--format', 'table']);
    expect(unknown.stdout).to.include('Note: ').and.include('signup');
  });

  it('draws steps of a funnel as bars, periods of a retention with their share, and durations in units', async () => {
    const day = (n: number): string => new Date(Date.UTC(2026, 0, 5 + n, 10)).toISOString();
    const visit = (user: string, n: number, more = 0): unknown => ({
      event_type: more === 0 ? 'arrive' : 'stay',
      user_id: user,
      time: new Date(Date.parse(day(n)) + more).toISOString(),
    });
    const events = [visit('x', 0), visit('y', 0), visit('x', 1, 153_000)];
    expect((await service.post('/track', { events })).status).to.equal(200);
    const shown = async (q: string): Promise<string[]> =>
      (await service.wl(['query', `${q} | from 2026-01-05 to 2026-01-07`, '--format', 'table'])).stdout.split('\n');
    expect((await shown('funnel arrive -> stay')).slice(2, 4)).to.deep.equal([
      '   1  arrive      2  ██████████ 100.0 %          100.0 %               –',
      '   2  stay        1  █████░░░░░  50.0 %           50.0 %             1 d',
    ]);
    expect((await shown('retention arrive returning stay | by day'))[2]).to.equal(
      '2026-01-05      2  0 (0.0 %)  1 (50.0 %)',
    );
  });

  it('takes pages, and says on stderr that there is more when no page was asked for', async () => {
    const page = ['--limit', '1', '--offset', '1'];
    expect(await service.json(['query', '* | count by event_type', ...page])).to.deep.equal([
      { event_type: 'purchase', count: 1 },
    ]);
    const many = Array.from({ length: 101 }, (_, i) => ({ event_type: 'many', user_id: `m${i}` }));
    await service.post('/track', { events: many });
    const { code, stdout, stderr } = await service.wl(['query', 'many | count by user_id']);
    expect([code, JSON.parse(stdout).length]).to.deep.equal([0, 100]);
    expect(stderr).to.equal('wl: 100 of 101 rows; --limit and --offset show the others\n');
  });

  it('shows the place of a mistake on stderr alone', async () => {
    const { code, stdout, stderr } = await service.wl(['query', 'signup | coun']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('signup | coun\n         ^\n').and.include('did you mean `count`?');
  });

  it('answers a list in the order of the questions, with failures inside, and exits with 1', async () => {
    const args = ['--query', 'signup | count', '--query', 'bad |', '--query', 'purchase | count'];
    const { code, stdout, stderr } = await service.wl(['query', ...args, '--concurrency', '2']);
    const { results } = JSON.parse(stdout);
    expect(code).to.equal(1);
    expect(results).to.have.length(3);
    expect(results[0]).to.deep.equal({ query: 'signup | count', rows: [{ count: 2 }] });
    expect(results[1]).to.include({ query: 'bad |', code: 'bad_query', position: 5 });
    expect(results[1].error).to.include('bad |\n     ^');
    expect(results[2]).to.deep.equal({ query: 'purchase | count', rows: [{ count: 1 }] });
    expect(stderr).to.match(/^wl: query 2: expected a stage/);
  });

  it('makes a list of one --query, and of a question with --query', async () => {
    expect(await service.json(['query', '--query', 'signup | count'])).to.deep.equal({
      results: [{ query: 'signup | count', rows: [{ count: 2 }] }],
    });
    const { results } = (await service.json(['query', 'a | count', '--query', 'signup | count'])) as { results: [] };
    expect(results.map(({ query }) => query)).to.deep.equal(['a | count', 'signup | count']);
  });

  it('runs at most --concurrency queries at once, and sends them in order', async () => {
    const queries = Array.from({ length: 9 }, (_, i) => `q${i}`);
    const running: (() => void)[] = [];
    let [come, most] = [0, 0];
    const server = new ScriptedServer([], (response, received) => {
      running.push(() => json(200, [{ q: JSON.parse(received.body).q }])(response, received));
      most = Math.max(most, running.length);
      const answers = ++come === queries.length ? 3 : Number(running.length >= 3);
      for (let n = 0; n < answers; n++) setTimeout(() => running.shift()?.(), 30);
    });
    const host = await server.start();
    const args = queries.flatMap((q) => ['--query', q]);
    const { stdout } = await wl(['query', ...args, '--concurrency', '3', '--host', host, '--api-key', 'sk_x']);
    await server.stop();
    expect(most).to.equal(3);
    expect(JSON.parse(stdout).results).to.deep.equal(queries.map((q) => ({ query: q, rows: [{ q }] })));
  });

  it('takes a list of many queries at once without a word of Node about it', async () => {
    const queries = Array.from({ length: 12 }, (_, i) => `q${i}`);
    const server = new ScriptedServer([], json(200, []));
    const host = await server.start();
    const input = queries.join('\n');
    const flags = ['--concurrency', '12', '--host', host, '--api-key', 'sk_x'];
    const { code, stdout, stderr } = await wl(['query', '-', ...flags], {}, { input });
    await server.stop();
    expect([code, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(stdout).results).to.have.length(queries.length);
  });

  it('reads the envelope of servers of before too, whose columns had their types with them', async () => {
    const columns = [{ name: 'plan', type: 'string', role: 'group' }, { name: 'share', type: 'ratio', role: 'metric' }]; // prettier-ignore
    const rest = {
      ...{ rows: [{ plan: 'pro', share: 0.25 }], total: 1, rows_scanned: 4, mode: 'embedded', notes: [] },
      range: { from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z', timezone: 'UTC' },
    };
    const printed = [];
    for (const envelope of [
      { columns, ...rest, elapsed_ms: 2.417 },
      { columns: columns.map(({ name }) => name), column_types: columns, ...rest, elapsed_ms: 2 },
    ]) {
      const server = new ScriptedServer([], json(200, envelope));
      const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
      const { stdout } = await wl(['query', 'a', '--format', 'table'], env);
      await server.stop();
      printed.push(stdout);
    }
    expect(printed[0]).to.match(/pro +25\.0 %/);
    expect(printed[1]).to.equal(printed[0]);
  });

  it('takes a packed answer, and none that it cannot read', async () => {
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', timezone: 'UTC' };
    const columns = { columns: ['a'], column_types: [{ name: 'a', type: 'string', role: 'group' }] };
    const answer = {
      ...columns,
      rows: [{ a: 'ä' }],
      total: 1,
      range,
      rows_scanned: 1,
      elapsed_ms: 1,
      mode: 'x',
      notes: [],
    };
    const cases: [string, Buffer, number][] = [
      ['gzip', gzipSync(JSON.stringify(answer)), 0],
      ['gzip', Buffer.from('[]'), 1],
      ['br', Buffer.from('[]'), 1],
      ['identity', Buffer.from('<html>'), 1],
    ];
    for (const [encoding, body, wanted] of cases) {
      const server = new ScriptedServer([], (response) => {
        response.writeHead(200, { 'content-encoding': encoding }).end(body);
      });
      const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
      const { code, stdout, stderr } = await wl(['query', 'a'], env);
      await server.stop();
      expect(code, encoding).to.equal(wanted);
      if (wanted === 0) expect(JSON.parse(stdout)).to.deep.equal([{ a: 'ä' }]);
      else
        expect(stderr, encoding)
          .to.match(/answer .*(gzip|packed|not JSON)/)
          .and.not.include('bug');
    }
  });

  it('reads one question from stdin, over several lines too, or a list', async () => {
    const one = await service.wl(['query', '-'], { input: '# who came\nsignup\n  | where event_properties.plan = "pro"\n  | count\n' });
    expect(JSON.parse(one.stdout)).to.deep.equal([{ count: 1 }]);
    const list = await service.wl(['query', '-'], { input: 'signup | count\r\n\r\npurchase | count\r\n' });
    expect(JSON.parse(list.stdout).results.map((one: { rows: unknown }) => one.rows)).to.deep.equal([
      [{ count: 2 }],
      [{ count: 1 }],
    ]);
    const nothing = await service.wl(['query', '-'], { input: '\n# nothing\n' });
    expect([nothing.code, nothing.stdout]).to.deep.equal([1, '']);
    expect(nothing.stderr).to.include('stdin has no query');
  }); // prettier-ignore

  it('takes CSV for one question only, and sends nothing otherwise', async () => {
    const { code, stdout, stderr } = await service.wl(['query', '--query', 'a', '--query', 'b', '--format', 'csv']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('csv works for a single query only');
    const alone = await service.wl(['query', '--query', 'signup | count', '--format', 'csv']);
    expect(alone).to.deep.equal(await service.wl(['query', 'signup | count', '--format', 'csv']));
    expect(alone).to.deep.include({ code: 0, stderr: '' });
  });

  it('puts the question above each answer of a list as a table or Markdown', async () => {
    const args = ['query', '--query', 'signup | count', '--query', 'purchase | count', '--format'];
    const table = (await service.wl([...args, 'table'])).stdout;
    expect(table).to.match(/^\nsignup \| count\ncount\n─────\n {4}2\n[^]*\npurchase \| count\ncount\n─────\n {4}1\n/);
    const markdown = (await service.wl([...args, 'markdown'])).stdout;
    expect(markdown).to.match(/^```\nsignup \| count\n```\n\n\| count \|\n\| ---: \|\n\| 2 \|\n/);
  });

  it('refuses numbers that make no sense before it asks', async () => {
    const lines = [['--limit', '0'], ['--limit', '10001'], ['--limit', 'x'], ['--offset', '-1'], ['--concurrency', '0'], ['--concurrency', '1.5']];
    for (const option of lines) {
      const { code, stderr } = await wl(['query', 'a', ...option, '--host', 'http://127.0.0.1:1', '--api-key', 'sk_x']);
      expect(code, option.join(' ')).to.equal(1);
      expect(stderr, option.join(' ')).to.include(`${option[0]} must be a whole number`);
    }
  }); // prettier-ignore

  it('writes every row as one CSV file with --all, page by page', async () => {
    const page = (text: string): ConstructorParameters<typeof ScriptedServer>[1] => (response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'x-total-count': '20002' });
      response.end(text);
    };
    const header = '"a ""\r\nb",time\r\n';
    const server = new ScriptedServer([page(`${header}1,2\r\n`), page(`${header}3,"4\r\n"\r\n`)], page(`${header}5,6\r\n`));
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
    const { code, stdout } = await wl(['query', '* | people', '--format', 'csv', '--all', '--offset', '1'], env);
    await server.stop();
    expect([code, stdout]).to.deep.equal([0, `${header}1,2\r\n3,"4\r\n"\r\n5,6\r\n`]);
    const pages = server.requests.map(({ body }) => JSON.parse(body));
    expect(pages.map(({ limit, offset }) => [limit, offset])).to.deep.equal([[10_000, 1], [10_000, 10_001], [10_000, 20_001]]);
  }); // prettier-ignore

  it('writes all pages of a list by their cursors, and takes one', async () => {
    const page = (text: string, cursor?: string): ConstructorParameters<typeof ScriptedServer>[1] => (response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'x-total-count': '20002', ...(cursor === undefined ? {} : { 'x-next-cursor': cursor }) });
      response.end(text);
    };
    const server = new ScriptedServer([page('time\r\n1\r\n', 'one'), page('time\r\n2\r\n', 'two')], page('time\r\n3\r\n'));
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
    const { code, stdout } = await wl(['query', '* | list time', '--format', 'csv', '--all'], env);
    await server.stop();
    expect([code, stdout]).to.deep.equal([0, 'time\r\n1\r\n2\r\n3\r\n']);
    expect(server.requests.map(({ body }) => (JSON.parse(body) as { cursor?: string }).cursor)).to.deep.equal([undefined, 'one', 'two']);
    await service.post('/track', { events: [1, 2, 3].map((n) => ({ event_type: 'paged', event_properties: { n } })) });
    const first = await service.wl(['query', 'paged | list event_properties.n', '--limit', '2', '--json']);
    const [, cursor = ''] = /the next rows: --cursor (\S+)/.exec(first.stderr) ?? [];
    expect(await service.json(['query', 'paged | list event_properties.n', '--cursor', cursor])).to.deep.equal([{ 'event_properties.n': 1 }]);
  }); // prettier-ignore

  it('refuses --all where it cannot keep what it says', async () => {
    for (const args of [['* | people'], ['* | people', '--format', 'csv', '--limit', '5'], ['--query', 'a', '--query', 'b', '--format', 'csv']]) {
      const { code, stderr } = await service.wl(['query', ...args, '--all']);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr, args.join(' ')).to.include('--all');
    }
  }); // prettier-ignore

  it('says nothing on stderr with --quiet, whatever went wrong', async () => {
    expect(await service.wl(['query', 'signup | coun', '--quiet'])).to.deep.equal({ code: 1, stdout: '', stderr: '' });
  });
});

describe('wl explain, inspect, choice results', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
    const exposure = { event_type: 'choice.exposure', event_properties: { choice_key: 'button "x"', variant_key: 'control' } };
    await service.post('/track', {
      events: [
        { event_type: 'signup "now" | later', user_id: 'ann', event_properties: { plan: 'pro' } },
        { ...exposure, user_id: 'ann' },
        { event_type: 'purchase', user_id: 'ann' },
      ],
    });
  }); // prettier-ignore

  it('explains with plan and times', async () => {
    const explained = (await service.json(['explain', '* | count by day'])) as Record<string, unknown>;
    expect(explained).to.include.keys('plan', 'tree', 'passes', 'parts', 'times');
    const { stdout } = await service.wl(['explain', '* | count by day', '--format', 'table']);
    expect(stdout)
      .to.include('groups: day (bucket)')
      .and.match(/\ncompile +\d+(\.\d+)?\n/);
    expect(stdout).to.match(/\n3 rows scanned in 1 part\n$/);
  });

  it('inspects all events, or one by its name whatever is in it', async () => {
    const all = (await service.json(['inspect'])) as { event_type: string }[];
    expect(all.map((row) => row.event_type)).to.have.members(['signup "now" | later', 'choice.exposure', 'purchase']);
    const one = (await service.json(['inspect', 'signup "now" | later', '--last', '2d'])) as { field: string }[];
    expect(one.map((row) => row.field)).to.include('event_properties.plan');
    const wrong = await service.wl(['inspect', '--last', '7d | count']);
    expect([wrong.code, wrong.stdout]).to.deep.equal([1, '']);
    expect(wrong.stderr).to.include('--last must be a time');
  });

  it('looks at 30 days of all events and 7 of one unless it is told otherwise', async () => {
    const server = new ScriptedServer([], json(200, []));
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
    for (const args of [['inspect'], ['inspect', 'a'], ['inspect', 'a', '--last', '2w']]) await wl(args, env);
    await server.stop();
    const asked = server.requests.map(({ body }) => JSON.parse(body).q);
    expect(asked).to.deep.equal(['inspect * | last 30d', 'inspect "a" | last 7d', 'inspect "a" | last 2w']);
  });

  it('counts exposures, and with --conversion the conversions of each variant', async () => {
    expect(await service.json(['choice', 'results', 'button "x"'])).to.deep.equal([
      { variant_key: 'control', count: 1 },
    ]);
    const args = ['--conversion', 'purchase', '--window', '2d', '--unit', 'user_id', '--last', '7d'];
    const rows = (await service.json(['choice', 'results', 'button "x"', ...args])) as object[];
    expect(rows[0]).to.include({ variant: 'control', users: 1, conversions: 1, rate: 1 });
    const lonely = await service.wl(['choice', 'results', 'x', '--window', '2d']);
    expect([lonely.code, lonely.stdout]).to.deep.equal([1, '']);
    expect(lonely.stderr).to.include('--conversion');
  });
});
