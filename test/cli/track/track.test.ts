import { expect } from 'chai';
import { clientOf } from '../client-service.ts';
import type { ClientService } from '../client-service.ts';
import { wlInside as wl } from '../run-inside.ts';
import { ScriptedServer, taken } from '../scripted-server.ts';
import { sharedService } from '../../support/shared-service.ts';

describe('wl track', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });

  it('sends one event with all that the command line says', async () => {
    const ids = ['--user-id', '42', '--device-id', 'd1', '--session-id', 's1', '--insert-id', 'once', '--time', '2026-01-02T03:04:05Z'];
    const properties = ['--prop', 'plan=pro', '--prop', 'a=b=c', '--prop', 'n=1', '--prop-json', '{"n": 2.5, "ok": true}'];
    const env = { WINDLASS_API_KEY: service.keys.project.publicKey };
    const args = ['track', '注册 🎉', ...ids, ...properties, '--user-prop', 'country=DE'];
    for (const accepted of [1, 1]) expect(await service.json(args, env)).to.deep.equal({ accepted });
    const rows = await service.rows('"注册 🎉" | from 2026-01-01 to 2026-02-01 | list');
    expect(rows).to.have.length(1);
    expect(rows[0]).to.deep.include({
      ...{ time: '2026-01-02T03:04:05.000Z', user_id: '42', device_id: 'd1', session_id: 's1', insert_id: 'once' },
      event_properties: { plan: 'pro', a: 'b=c', n: 2.5, ok: true },
      user_properties: { country: 'DE' },
    });
    expect(rows[0]).to.have.property('_browser', null); // the command line is no browser
  }); // prettier-ignore

  for (const [option, ...values] of [
    [
      '--time',
      'yesterday',
      '2026-13-45',
      '2026-02-30T10:00:00Z',
      '12',
      '',
      '11/02/2026',
      '2026-09-01T25:00:00Z',
      '9999-01-01',
      '4000000000',
    ],
    ['--user-id', 'null', '', ' ', 'undefined'],
    ['--device-id', 'guest', '00000000-0000-0000-0000-000000000000'],
    ['--session-id', '-1'],
    ['--insert-id', '[object Object]'],
  ])
    it(`refuses what the server would not take as ${option}`, async () => {
      for (const value of values) {
        const { code, stderr } = await wl(['track', 'a', option!, value, '--dry-run']);
        expect(code, value).to.equal(1);
        expect(stderr).to.match(
          new RegExp(`^wl: ${option} "?${value.replace('[', '\\[')}"? (?:is no time|counts as missing)`),
        );
      }
    });

  it('takes times and ids as the server does', async () => {
    for (const time of [
      '2026-01-02',
      '20260102T030405Z',
      '2026-01-02 03:04',
      '1767323045',
      '1767323045000.5',
      '1767323045000000',
      '2019-10-01 00:00:00 UTC',
      'Tue, 03 Nov 2026 10:00:00 GMT',
      '2024-02-29',
    ]) {
      const { code } = await wl(['track', 'a', '--time', time, '--user-id', ' null', '--dry-run']);
      expect(code, time).to.equal(0);
    }
  });

  it('takes any name as a property', async () => {
    const { stdout } = await wl([
      'track',
      'a',
      '--prop',
      '__proto__=x',
      '--prop-json',
      '{"constructor": 1, "__proto__": 2}',
      '--dry-run',
    ]);
    expect(stdout).to.include('"__proto__": 2').and.include('"constructor": 1');
  });

  it('keeps the digits of whole numbers beyond 2^53, and what keys spell with escapes', async () => {
    const json = String.raw`{"plan":1,"caf\\":1,"o":{"plan":9007199254740993,"caf\u00e9":2}}`;
    const one = await wl(['track', 'a', '--prop-json', json, '--dry-run']);
    expect(one.stdout).to.include('"plan": "9007199254740993"').and.include('"café": 2');
    const lines = await wl(['track', '--stdin', '--map', 'event_type=t', '--dry-run'], {}, { input: `{"t":"e","p":${json}}\n` });
    expect(lines.stdout).to.include('"plan":"9007199254740993","café":2');
  }); // prettier-ignore

  it('prints what it would send, and sends nothing and needs no key, with --dry-run', async () => {
    const { code, stdout, stderr } = await wl(['track', 'a', '--user-id', 'u', '--dry-run', '--host', 'http://127.0.0.1:1']);
    const { insert_id: id, ...rest } = JSON.parse(stdout);
    expect({ code, stderr, rest }).to.deep.equal({ code: 0, stderr: '', rest: { event_type: 'a', user_id: 'u' } });
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    const lines = await wl(['track', '--stdin', '--dry-run', '--batch-size', '2'], {}, { input: '{"event_type":"a","insert_id":1}\n{"event_type":"b","insert_id":2}\n{"event_type":"c","insert_id":3}\n' });
    expect(lines).to.deep.equal({
      code: 0,
      stdout: '{"event_type":"a","insert_id":1}\n{"event_type":"b","insert_id":2}\n{"event_type":"c","insert_id":3}\n',
      stderr: lines.stderr,
    });
    expect(lines.stderr).to.match(/^event_type +3 +0 /m).and.include('3 events; nothing was sent');
  }); // prettier-ignore

  it('exits with 1 when the server rejects the event', async () => {
    const { code, stdout, stderr } = await service.wl(['track', 'x'.repeat(300)]);
    expect([code, JSON.parse(stdout)]).to.deep.equal([1, { accepted: 0 }]);
    expect(stderr).to.include('The event was rejected: event_type');
  });

  it('refuses a command line that makes no sense before it sends', async () => {
    const cases: [string[], string][] = [
      [[], 'the event type is missing'],
      [['a', '--prop', 'x'], '--prop must be name=value'],
      [['a', '--prop', '=x'], '--prop must be name=value'],
      [['a', '--prop-json', '{'], '--prop-json is not JSON'],
      [['a', '--prop-json', '[]'], '--prop-json must be a JSON object'],
      [['a', '--stdin'], '--stdin cannot be combined with an event name'],
      [['--stdin', '--user-id', 'u'], '--stdin cannot be combined with --user-id'],
      [['--stdin', '--batch-size', '2001'], '--batch-size must be a whole number from 1 to 2,000'],
      [['a', '--format', 'csv'], 'supports table or json output, not csv'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await wl([
        'track',
        ...args,
        '--host',
        'http://127.0.0.1:1',
        '--api-key',
        'pk_x',
      ]);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr, args.join(' ')).to.include(message);
    }
  });

  it('says which keys it takes, with the kind and the end of the one that was sent', async () => {
    const wrong = await service.wl(['track', 'a'], { env: { WINDLASS_API_KEY: 'pk_0123456789abcdefwxyz' } });
    expect([wrong.code, wrong.stdout]).to.deep.equal([1, '']);
    expect(wrong.stderr)
      .to.include('Send a public key (pk_)')
      .and.include('wl project get')
      .and.not.include('This command needs');
    expect(wrong.stderr).to.include('pk_…wxyz').and.include('WINDLASS_API_KEY').and.not.include('0123456789');
    const none = await service.wl(['track', 'a'], { env: { WINDLASS_API_KEY: '' } });
    expect(none.stderr).to.include('No API key is set').and.include('This command needs a public key (pk_)');
  });

  it('names the host and how to set it when nothing listens there', async () => {
    const { code, stdout, stderr } = await service.wl(['track', 'a'], { env: { WINDLASS_HOST: 'http://localhost:1' } });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('http://localhost:1').and.include('--host').and.include('WINDLASS_HOST');
  });
});

describe('wl track --stdin', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });

  it('sends every line once, with one request at a time in order, and prints what was taken', async () => {
    const lines = Array.from({ length: 1_234 }, (_, i) => `{"event_type":"row","time":"2026-01-01","event_properties":{"i":${i}}}`);
    const { code, stdout, stderr } = await service.wl(['track', '--stdin', '--concurrency', '1'], { input: lines.join('\n') });
    expect({ code, answer: JSON.parse(stdout), stderr }).to.deep.equal({ code: 0, answer: { accepted: 1_234, rejected: 0 }, stderr: '' });
    const answer = await service.post('/query', { q: 'row | from 2026-01-01 to 2026-01-02 | list | limit 2000', format: 'json', limit: 2000 });
    const rows = (await answer.json()) as { event_properties: { i: number } }[];
    expect(rows.map((row) => row.event_properties.i)).to.deep.equal(lines.map((_, i) => lines.length - 1 - i));
  }); // prettier-ignore

  it('sends every line once with several requests at a time', async () => {
    const lines = Array.from({ length: 2_345 }, (_, i) => `{"event_type":"many","time":"2026-01-01","event_properties":{"i":${i}}}`);
    const { code, stdout } = await service.wl(['track', '--stdin', '--concurrency', '7'], { input: lines.join('\n') });
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, { accepted: 2_345, rejected: 0 }]);
    const answer = await service.post('/query', { q: 'many | from 2026-01-01 to 2026-01-02 | count, sum event_properties.i', format: 'json' });
    expect(await answer.json()).to.deep.equal([{ count: 2_345, sum: (2_345 * 2_344) / 2 }]);
  }); // prettier-ignore

  it('refuses a field that --map names twice', async () => {
    const { code, stdout, stderr } = await service.wl(['track', '--stdin', '--map', 'event_type=a, event_type=b'], { input: '{}' });
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('--map: the field "event_type" is given twice; keep one of them');
  }); // prettier-ignore

  it('takes the fields of events from where --map says, and the rest as properties', async () => {
    const line = { id: '7', type: 'PushEvent', actor: { login: 'ada', id: 3 }, public: true, created_at: '2026-01-03T01:00:00Z', ['__proto__']: 1 };
    const map = 'event_type=type,time=created_at,user_id=actor.login,insert_id=id';
    const { stdout } = await service.wl(['track', '--stdin', '--dry-run', '--map', map], { input: JSON.stringify(line) });
    expect(JSON.parse(stdout)).to.deep.equal(
      { event_type: 'PushEvent', time: line.created_at, user_id: 'ada', insert_id: '7', event_properties: { actor: { id: 3 }, public: true, ['__proto__']: 1 } },
    );
    expect(stdout).to.include('"__proto__":1');
    const sent = await service.wl(['track', '--stdin', '--map', map], { input: JSON.stringify(line) });
    expect([sent.code, JSON.parse(sent.stdout)]).to.deep.equal([0, { accepted: 1, rejected: 0 }]);
    const own = { ...line, event_type: 'own', user_id: 'eve', event_properties: { public: false, more: 1 } };
    const kept = await service.wl(['track', '--stdin', '--dry-run', '--map', 'insert_id=id,nothing.x=1'], { input: JSON.stringify(own) });
    expect([kept.code, kept.stdout]).to.deep.equal([1, '']);
    const named = await service.wl(['track', '--stdin', '--dry-run', '--map', 'insert_id=id'], { input: JSON.stringify(own) });
    expect(JSON.parse(named.stdout)).to.deep.include({ event_type: 'own', user_id: 'eve' });
    expect(JSON.parse(named.stdout).event_properties).to.deep.include({ public: false, more: 1, type: 'PushEvent' });
  }); // prettier-ignore

  it('says once what is wrong with many lines, and which is the first', async () => {
    const { code, stdout, stderr } = await service.wl(['track', '--stdin'], { input: '{"type":"x"}\n'.repeat(350) });
    expect([code, JSON.parse(stdout)]).to.deep.equal([1, { accepted: 0, rejected: 350 }]);
    expect(stderr).to.equal(
      'wl: 350 lines, first line 1: event_type is missing; it has "type": try --map event_type=type\n',
    );
  });

  it('names the fields that look like a type where a line has none', async () => {
    const { code, stderr } = await service.wl(['track', '--stdin'], { input: '{"type":"x","name":"y"}\n{"a":1}' });
    expect(code).to.equal(1);
    expect(stderr).to.include('line 1: event_type is missing; it has "type", "name": try --map event_type=type');
    expect(stderr).to.match(/line 2: event_type is missing$/m);
  });

  it('names bad lines by their number, counts them, and exits with 1 unless --skip-bad', async () => {
    const input = Buffer.concat([
      Buffer.from('\uFEFF{"event_type":"ok"}\r\n\n[1]\nnot json\n{"event_type":7}\n'),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      Buffer.from(`{"event_type":"long","x":"${'x'.repeat(1_100_000)}"}\n{"event_type":"ok"}`),
    ]);
    const { code, stdout, stderr } = await service.wl(['track', '--stdin'], { input });
    expect([code, JSON.parse(stdout)]).to.deep.equal([1, { accepted: 2, rejected: 5 }]);
    expect(stderr).to.equal(
      [
        'wl: line 3: it is not a JSON object',
        'wl: line 4: it is not JSON',
        'wl: line 5: event_type must be a string',
        'wl: line 6: it is not UTF-8',
        'wl: line 7: it is longer than 1,048,576 bytes',
        '',
      ].join('\n'),
    );
    const skipped = await service.wl(['track', '--stdin', '--skip-bad'], { input: 'x\n{"event_type":"ok"}\n' });
    expect([skipped.code, JSON.parse(skipped.stdout)]).to.deep.equal([0, { accepted: 1, rejected: 1 }]);
  });

  it('counts the bad lines that the server does not name', async () => {
    const input = '{"event_type":7}\n'.repeat(30);
    const { stdout, stderr } = await service.wl(['track', '--stdin'], { input });
    expect(JSON.parse(stdout)).to.deep.equal({ accepted: 0, rejected: 30 });
    expect(stderr).to.include('wl: 20 lines, first line 1: event_type must be a string\n');
    expect(stderr).to.include('wl: 10 more lines up to line 30 were rejected');
  });

  it('is strict: what the server would replace or leave out is an error, and stored with --lenient', async () => {
    const lines = [
      '{"event_type":"lenient","time":"11/02/2026"}',
      '{"event_type":"lenient","price":3}',
      '{"event_type":"lenient","price":4}',
      '{"event_type":"lenient"}',
    ];
    const input = lines.join('\n');
    const strict = await service.wl(['track', '--stdin'], { input });
    expect([strict.code, JSON.parse(strict.stdout)]).to.deep.equal([1, { accepted: 1, rejected: 3 }]);
    expect(strict.stderr).to.equal(
      [
        'wl: line 1: time cannot be read as a time: "11/02/2026"',
        'wl: 2 lines, first line 2: unknown field "price": write it as event_properties.price',
        '',
      ].join('\n'),
    );
    const lenient = await service.wl(['track', '--stdin', '--lenient'], { input });
    expect([lenient.code, JSON.parse(lenient.stdout)]).to.deep.equal([0, { accepted: 4, rejected: 0 }]);
    expect(lenient.stderr).to.include('wl: stored otherwise than sent: line 1: time: cannot be read as a time');
    expect(lenient.stderr).to.include('wl: stored otherwise than sent: 2 lines, first line 2: price: unknown field');
    const bulk = await service.wl(['track', '--stdin', '--bulk'], { input });
    expect([bulk.code, JSON.parse(bulk.stdout)]).to.deep.equal([1, { accepted: 1, rejected: 3 }]);
    const loose = await service.wl(['track', '--stdin', '--bulk', '--lenient'], { input });
    expect([loose.code, JSON.parse(loose.stdout)]).to.deep.equal([0, { accepted: 4, rejected: 0 }]);
    expect(loose.stderr).to.include('wl: stored otherwise than sent: line 1: time: ');
  });

  it('refuses a --map of which no line has a path: before it sends where another name is near, else at the end', async () => {
    const input = '{"type":"mapped","timestamp":"2026-01-02","page":{"url":"https://a.example/x?y=1"}}\n'.repeat(3);
    const map = (fields: string) => service.wl(['track', '--stdin', '--map', fields], { input });
    const near = await map('event_type=type,time=timestmap');
    expect([near.code, JSON.parse(near.stdout)]).to.deep.equal([1, { accepted: 0, rejected: 0 }]);
    expect(near.stderr)
      .to.include('--map time=timestmap: no line has it; nearest: timestamp')
      .and.include('No line was sent');
    const far = await map('event_type=type,time=timestamp,user_id=who');
    expect([far.code, JSON.parse(far.stdout)]).to.deep.equal([1, { accepted: 3, rejected: 0 }]);
    expect(far.stderr).to.include('--map user_id=who: no line has it');
  });

  it('fills properties by --map, from which the server finds the parts of an address', async () => {
    const input = '{"type":"seen","at":"2026-01-02","page":{"url":"https://a.example/x?y=1","title":"X"}}';
    const fields =
      'event_type=type,time=at,event_properties.url=page.url,user_properties.last_page=page.title,user_id=at';
    const { code, stderr } = await service.wl(['track', '--stdin', '--map', fields], { input });
    expect([code, stderr]).to.deep.equal([0, '']);
    const [row] = await service.rows('seen | from 2026-01-01 to 2026-02-01 | list');
    expect(row).to.deep.include({ _path: '/x', _hostname: 'a.example', user_properties: { last_page: 'X' } });
  });

  it('shows ten events with --dry-run, and what became of the fields of all', async () => {
    const line = (nth: number) =>
      JSON.stringify({ type: 'x', at: nth < 4 ? '11/02/2026' : '2026-01-02', uid: 'guest', n: nth });
    const input = Array.from({ length: 30 }, (_, nth) => line(nth)).join('\n');
    const args = ['track', '--stdin', '--dry-run', '--map', 'event_type=type,time=at,device_id=uid'];
    const { code, stdout, stderr } = await service.wl(args, { input });
    expect([code, stdout.trim().split('\n').length]).to.deep.equal([0, 10]);
    expect(stderr)
      .to.match(/^event_type +30 +0 /m)
      .and.match(/^time +26 +4 +no time: "11\/02\/2026"/m);
    expect(stderr)
      .to.match(/^device_id +0 +30 +stands for no id/m)
      .and.match(/^event_properties\.n +30 +0 /m);
    expect(stderr).to.include('30 events; nothing was sent');
  });

  it('takes nothing at all', async () => {
    const { code, stdout } = await service.wl(['track', '--stdin'], { input: '\n\n' });
    expect([code, JSON.parse(stdout)]).to.deep.equal([0, { accepted: 0, rejected: 0 }]);
  });

  it('sends batches of --batch-size, packed, each event with its insert id and the rest of its text as it was', async () => {
    const server = new ScriptedServer([], taken);
    const local = await server.start();
    const env = { WINDLASS_HOST: local.replace('127.0.0.1', '0.0.0.0'), WINDLASS_API_KEY: 'pk_x' }; // as if on another machine
    const filler = 'x'.repeat(600);
    const lines = [
      `{"event_type":"a","n":12345678901234567890,"f":"${filler}"}`,
      `{"event_type":"b","insert_id":"mine","f":"${filler}"} `,
      '{"event_type":"c","insert_id":null}',
      '{"event_type":""}',
      '{"event_type":"e","insert_id":"none"}',
    ];
    const { code } = await wl(['track', '--stdin', '--batch-size', '3'], env, { input: lines.join('\n') });
    const here = await wl(['track', '--stdin'], { ...env, WINDLASS_HOST: local }, { input: lines[0]! });
    await server.stop();
    expect([code, here.code]).to.deep.equal([0, 0]);
    const encodings = server.requests.map(({ headers }) => headers['content-encoding']);
    expect(encodings, 'nothing is packed for this machine').to.deep.equal(['gzip', undefined, undefined]);
    expect(new Set(server.requests.map(({ url }) => url))).to.deep.equal(new Set(['/track?report=true&strict=true']));
    expect(server.requests[0]?.body).to.match(/"n":12345678901234567890,"f":"x+","insert_id":"[0-9a-f-]{36}"\}/);
    const events = server.requests.flatMap(({ body }) => JSON.parse(body).events);
    expect(events[1].insert_id).to.equal('mine');
    const made = [0, 2, 3, 4].map((i) => events[i].insert_id);
    expect(new Set(made).size).to.equal(4);
    for (const id of made) expect(id).to.match(/^[0-9a-f-]{36}$/);
  });

  it('sends what waits when the writer pauses', async () => {
    const server = new ScriptedServer([], taken);
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'pk_x' };
    const { startWl, exitOf } = await import('../run-wl.ts');
    const child = startWl(['track', '--stdin'], env);
    child.stdin.write('{"event_type":"a"}\n');
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    child.stdin.end('{"event_type":"b"}\n');
    expect(await exitOf(child)).to.equal(0);
    await server.stop();
    const types = server.requests.map(({ body }) => JSON.parse(body).events.map((one: { event_type: string }) => one.event_type));
    expect(types).to.deep.equal([['a'], ['b']]);
  }); // prettier-ignore
});
