import { expect } from 'chai';
import { clientOf } from './client-service.ts';
import type { ClientService } from './client-service.ts';
import { wlInside as wl } from './run-inside.ts';
import { json, ScriptedServer, silence } from './scripted-server.ts';
import { sharedService } from '../support/shared-service.ts';

describe('wl identify', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });

  it('binds a device and changes properties in every way', async () => {
    await service.post('/track', { event_type: 'early', device_id: 'd1' });
    await service.json(['identify', '--user-id', 'u1', '--prop', 'plan=free', '--prop', 'trial=yes', '--add', 'n=1']);
    const answer = await service.json([
      ...['identify', '--user-id', 'u1', '--device-id', 'd1', '--prop', 'plan=pro', '--prop', 'seats=x'],
      ...['--prop-json', '{"seats": 5}', '--set-once', 'plan=never', '--set-once', 'source=ad'],
      ...['--add', 'n=-0.5', '--unset', 'trial'],
    ]);
    expect(answer).to.deep.equal({ ok: true });
    const [user] = await service.rows('users | list');
    expect(user?.['properties']).to.deep.equal({ plan: 'pro', seats: 5, source: 'ad', n: 0.5 });
    expect(await service.rows('early | count by distinct_id')).to.deep.equal([{ distinct_id: 'u1', count: 1 }]);
  });

  it('prints what it would send with --dry-run', async () => {
    const { stdout } = await wl(['identify', '--user-id', 'u', '--set-once', 'a=b', '--unset', 'c', '--dry-run']);
    const operations = { $set_once: { a: 'b' }, $unset: ['c'] };
    expect(JSON.parse(stdout)).to.deep.equal({ user_id: 'u', user_property_ops: operations });
  });

  it('needs a user, and numbers to add', async () => {
    for (const [args, message] of [[[], 'user-id'], [['--user-id', 'u', '--add', 'n=x'], '--add n must be a number'], [['--user-id', 'u', '--add', 'n='], 'must be a number']] as const) {
      const { code, stderr } = await service.wl(['identify', ...args]);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr, args.join(' ')).to.include(message);
    }
  }); // prettier-ignore
});

describe('wl project', () => {
  let service: ClientService;
  let env: Record<string, string>;
  before(async () => {
    service = clientOf(await sharedService());
    env = { WINDLASS_API_KEY: service.keys.adminKey };
  });

  it('creates, shows, lists, rotates and deletes a project', async () => {
    const made = (await service.json(['project', 'create', 'Shop & Söhne'], env)) as Record<string, string>;
    expect(made).to.include({ name: 'Shop & Söhne' });
    const { id = '' } = made;
    expect(await service.json(['project', 'get', id], env)).to.deep.equal(made);
    const list = (await service.json(['project', 'list'], env)) as { id: string; secret_key?: string }[];
    expect(list.map((one) => one.id)).to.include(id);
    expect(list.every((one) => one.secret_key === undefined)).to.equal(true);
    const rotated = (await service.json(['project', 'rotate-secret-key', id, '--grace', '1h', '--yes'], env)) as Record<string, string>;
    expect(rotated['secret_key']).to.match(/^sk_/).and.not.equal(made['secret_key']);
    for (const key of [made['secret_key'], rotated['secret_key']]) {
      expect(await service.json(['query', '* | count'], { WINDLASS_API_KEY: key ?? '' })).to.deep.equal([{ count: 0 }]);
    }
    expect(await service.json(['project', 'delete', id, '--yes'], env)).to.deep.equal({ deleted: true, id });
    const gone = await service.wl(['project', 'get', id], { env });
    expect([gone.code, gone.stdout]).to.deep.equal([1, '']);
  }); // prettier-ignore

  it('takes global options anywhere', async () => {
    for (const line of [
      '--json project list',
      'project --json list',
      'project list --json',
      'project --timeout 9s list',
      '--timeout=9s --json project list',
    ]) {
      expect((await service.json(line.split(' '), env)) as object[], line).to.have.length(1);
    }
    const { stdout } = await wl(['track', '--dry-run', '--insert-id', 'i', '--', '--json']);
    expect(JSON.parse(stdout)).to.deep.equal({ event_type: '--json', insert_id: 'i' });
  });

  it('shows usage day by day', async () => {
    const { id } = service.keys.project;
    const rows = await service.json(['project', 'usage', id, '--from', '2026-01-01', '--to', '2026-01-03'], env);
    expect((rows as { date: string }[]).map(({ date }) => date)).to.deep.equal(['2026-01-01', '2026-01-02', '2026-01-03']);
    const table = await service.wl(['project', 'usage', id, '--from', '2026-01-01', '--to', '2026-01-01', '--format', 'table'], { env });
    expect(table.stdout).to.match(/^date +events_ingested .*\n.*\n2026-01-01 +0 .*\ntotal +0 .*\n\n1 day\n$/);
    const wrong = await service.wl(['project', 'usage', id, '--from', 'soon'], { env });
    expect([wrong.code, wrong.stdout]).to.deep.equal([1, '']);
  }); // prettier-ignore

  it('says that an organization admin key is needed, and how to get one', async () => {
    const { code, stderr } = await service.wl(['project', 'list']);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('you need the admin key of an organization (ak_)')
      .and.include('wl admin org create')
      .and.not.include('This command needs');
    expect(stderr).to.not.include(service.keys.secretKey);
  });

  it('sends nothing that cannot be undone without a terminal and --yes', async () => {
    const { id } = service.keys.project;
    for (const line of [['project', 'delete', id], ['project', 'rotate-secret-key', id], ['gdpr', 'delete', 'u1']]) {
      const { code, stdout, stderr } = await service.wl(line, { env: line[0] === 'gdpr' ? {} : env });
      expect([code, stdout], line.join(' ')).to.deep.equal([1, '']);
      expect(stderr, line.join(' ')).to.include('--yes').and.include('Nothing was changed');
    }
    expect(await service.json(['query', '* | count'])).to.deep.equal([{ count: 0 }]); // the key and the project still exist
    const server = new ScriptedServer([], json(200, { name: 'x' }));
    const host = await server.start();
    for (const line of [['project', 'delete', id], ['project', 'rotate-secret-key', id], ['gdpr', 'delete', 'u1']]) {
      expect((await wl([...line, '--host', host, '--api-key', 'ak_x'])).code).to.equal(1);
    }
    await server.stop();
    expect(server.requests).to.deep.equal([]);
  }); // prettier-ignore

  it('makes no other path of an id', async () => {
    const server = new ScriptedServer([], json(200, { name: 'x' }));
    const host = await server.start();
    const run = (...line: string[]) => wl(line, { WINDLASS_HOST: host, WINDLASS_API_KEY: 'ak_x' });
    for (const id of ['..', '.', '']) expect((await run('gdpr', 'delete', '--yes', id)).code, id).to.equal(1);
    expect(server.requests).to.have.length(0);
    await run('project', 'get', 'a/../b?c#d');
    await run('gdpr', 'delete', '--yes', 'ä/%2e%2e/x@y.z');
    await run('gdpr', 'delete', '--yes', '--', '-x');
    await server.stop();
    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).to.deep.equal([
      'GET /api/admin/projects/a%2F..%2Fb%3Fc%23d',
      'DELETE /api/gdpr/users/%C3%A4%2F%252e%252e%2Fx%40y.z',
      'DELETE /api/gdpr/users/-x',
    ]);
  });
});

describe('wl gdpr', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
    await service.post('/track', {
      events: [
        { event_type: 'a', user_id: 'ann@example.com', time: '2026-01-01' },
        { event_type: 'b', user_id: 'ann@example.com', time: '2026-01-02' },
        { event_type: 'a', user_id: 'bob' },
      ],
    });
    await service.post('/identify', { user_id: 'ann@example.com', device_id: 'd1', user_properties: { plan: 'pro' } });
  });

  it('exports a user line by line, and erases them', async () => {
    const { code, stdout, stderr } = await service.wl(['gdpr', 'export', 'ann@example.com']);
    expect([code, stderr, stdout.endsWith('\n')]).to.deep.equal([0, '', true]);
    const lines = stdout.trim().split('\n').map((line) => JSON.parse(line)); // prettier-ignore
    expect(lines.map(({ type }) => type)).to.deep.equal(['profile', 'device', 'event', 'event']);
    expect(lines.slice(2).map((event) => event.event_type)).to.deep.equal(['a', 'b']);
    const erased = await service.json(['gdpr', 'delete', 'ann@example.com', '--yes']);
    expect(erased).to.deep.equal({ deleted: { events: 2, profiles: 1, devices: 1 } });
    expect(await service.wl(['gdpr', 'export', 'ann@example.com'])).to.deep.equal({ code: 0, stdout: '', stderr: '' });
    expect(await service.json(['query', '* | count'])).to.deep.equal([{ count: 1 }]);
  });

  it('names the keys that may', async () => {
    const { code, stderr } = await service.wl(['gdpr', 'export', 'x'], {
      env: { WINDLASS_API_KEY: service.keys.project.publicKey },
    });
    expect(code).to.equal(1);
    expect(stderr).to.include('scope "admin"');
  });

  it('fails when an export breaks off, or stops, with whole lines before', async () => {
    const broken = new ScriptedServer([], (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"a":1}\n{"b":');
      setTimeout(() => response.destroy(), 100);
    });
    const stuck = new ScriptedServer([], (response) => void response.writeHead(200).write('{"a":1}\n{"b":'));
    for (const [server, message] of [[broken, 'was lost'], [stuck, 'did not answer within 2 s']] as const) {
      const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
      const { code, stdout, stderr } = await wl(['gdpr', 'export', 'u', '--timeout', '2s'], env);
      await server.stop();
      expect([code, stdout], message).to.deep.equal([1, '{"a":1}\n']);
      expect(stderr).to.include(message);
    }
  }); // prettier-ignore
});

describe('wl health', () => {
  it('exits with 0 when the server is well and ready', async () => {
    const service = clientOf(await sharedService());
    expect(await service.json(['health'])).to.deep.equal({ host: service.url, healthy: true, ready: true });
  });

  it('exits with 1 when it is not ready, says why, and does not ask again', async () => {
    const server = new ScriptedServer([], (response, request) => {
      if (request.url === '/healthz') response.end('ok');
      else json(503, { error: 'The service is shutting down.' })(response, request);
    });
    const host = await server.start();
    const { code, stdout, stderr } = await wl(['health', '--host', host]);
    await server.stop();
    expect([code, JSON.parse(stdout)]).to.deep.equal([1, { host, healthy: true, ready: false }]);
    expect([stderr, server.requests.length]).to.deep.equal(['wl: The service is shutting down.\n', 2]);
  });

  it('exits with 1 when nothing listens, nothing answers, or something else does', async () => {
    const down = await wl(['health', '--host', 'http://127.0.0.1:1']);
    expect([down.code, down.stdout]).to.deep.equal([1, '']);
    expect(down.stderr).to.include('http://127.0.0.1:1').and.include('--host');
    const silent = new ScriptedServer([], silence);
    const late = await wl(['health', '--timeout', '200ms', '--host', await silent.start()]);
    await silent.stop();
    expect([late.code, late.stdout]).to.deep.equal([1, '']);
    const other = new ScriptedServer([], (response) => void response.end('<html>'));
    const foreign = await wl(['health', '--host', await other.start()]);
    await other.stop();
    expect(foreign.code).to.equal(1);
    expect(foreign.stderr).to.include('does not look like a Windlass server');
  });

  it('takes no web page for an answer, whatever its status', async () => {
    const page = '<html>Log in to this network</html>';
    const server = new ScriptedServer([], (response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    });
    const env = { WINDLASS_HOST: await server.start(), WINDLASS_API_KEY: 'sk_x' };
    const lines = [
      ['gdpr', 'export', 'u1'],
      ['query', 'a', '--format', 'csv'],
      ['query', 'a'],
    ];
    const all = await Promise.all(lines.map((line) => wl(line, env)));
    await server.stop();
    for (const { code, stdout, stderr } of all) {
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.include('answered 200 OK and does not look like a Windlass server');
    }
  });

  it('follows no redirect, and says where the server is now', async () => {
    const server = new ScriptedServer([], json(301, {}, { location: 'https://elsewhere.example/' }));
    const { code, stderr } = await wl(['query', 'a', '--host', await server.start(), '--api-key', 'sk_x']);
    await server.stop();
    expect([code, server.requests.length]).to.deep.equal([1, 1]);
    expect(stderr).to.include('has moved to https://elsewhere.example/');
  });
});
