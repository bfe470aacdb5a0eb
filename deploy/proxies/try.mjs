// Tests a proxy, configured from this folder, in front of a Windlass: TLS, forged address and location, a streamed upload.
//
//     npm run build && node deploy/proxies/try.mjs caddy|nginx|haproxy
//
// Takes the program and openssl from PATH; everything is on loopback and in a folder that is removed. Exits 1 if a test fails.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const WL = join(here, '..', '..', 'dist', 'bin', 'wl.js');
const LINES = 60_000;
const FORGED = '203.0.113.9';

const kind = process.argv[2] ?? '';
const folder = mkdtempSync(join(tmpdir(), 'windlass-proxy-'));
const children = [];

try {
  const { upstream, key } = await startWindlass();
  const port = await freePort();
  start(...proxyOf(kind, upstream, port));
  await until(async () => (await send(port, 'GET', '/readyz')).status === 200);
  await forgedAddress(port, key);
  await streamedUpload(port, key);
  console.log(`${kind}: TLS, a forged address, a streamed upload of ${LINES} lines: good`);
} finally {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
  rmSync(folder, { recursive: true, force: true });
}

async function startWindlass() {
  const data = join(folder, 'data');
  const env = {
    PATH: process.env.PATH,
    WINDLASS_DATA: data,
    WINDLASS_ADDR: '127.0.0.1:0',
    WINDLASS_METRICS_ADDR: 'none',
  };
  const child = start(process.execPath, [WL, 'serve'], {
    ...{ ...env, WINDLASS_TRUSTED_PROXIES: '127.0.0.1', WINDLASS_THREADS: '1' },
  });
  let told = '';
  child.stdout.on('data', (piece) => (told += piece));
  await until(() => / is ready on /.test(told));
  const [project] = /prj_[\w-]+/.exec(told);
  execFileSync(process.execPath, [WL, 'admin', 'project', 'set', project, '--ip-policy', 'full'], { env });
  return { upstream: new URL(/ is ready on (\S+)/.exec(told)[1]).host, key: /sk_[\w-]+/.exec(told)[0] };
}

/** The program, its arguments and variables. */
function proxyOf(name, upstream, port) {
  const pem = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  const ask = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...ask, '-subj', '/CN=localhost', ...pem], { stdio: 'ignore' });
  const config = join(folder, 'config');
  if (name === 'caddy') {
    const site = readFileSync(join(here, 'Caddyfile'), 'utf8');
    const own = '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n';
    writeFileSync(config, own + site);
    const home = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder, PATH: process.env.PATH };
    const names = { WINDLASS_HOST: `https://localhost:${port}`, WINDLASS_UPSTREAM: upstream };
    return ['caddy', ['run', '--adapter', 'caddyfile', '--config', config], { ...home, ...names }];
  }
  if (name === 'nginx') {
    const site = readFileSync(join(here, 'nginx.conf'), 'utf8')
      .replace('listen 80;', `listen unix:${join(folder, 'plain')};`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
      .replace('127.0.0.1:8080', upstream)
      .replaceAll('/etc/ssl/stats.example.org', folder);
    writeFileSync(join(folder, 'site'), site);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${folder}/${each};`,
    );
    const http = `access_log off; ${paths.join(' ')} include ${folder}/site;`;
    writeFileSync(config, `daemon off; pid ${folder}/pid; worker_processes 1; events {} http { ${http} }`);
    return ['nginx', ['-p', folder, '-c', config, '-e', 'stderr'], process.env];
  }
  assert.equal(name, 'haproxy', 'name one of caddy, nginx, haproxy');
  const both = join(folder, 'both.pem');
  for (const part of ['fullchain.pem', 'privkey.pem']) appendFileSync(both, readFileSync(join(folder, part)));
  const site = readFileSync(join(here, 'haproxy.cfg'), 'utf8')
    .replace('    bind :80\n', '')
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('/etc/haproxy/stats.example.org.pem', both)
    .replace('127.0.0.1:8080', upstream);
  writeFileSync(config, site);
  return ['haproxy', ['-f', config], process.env];
}

/** A client's claims about itself must not be believed. */
async function forgedAddress(port, key) {
  const headers = {
    'X-API-Key': key,
    'X-Forwarded-For': FORGED,
    'X-Geo-Country': 'ZZ',
    'Content-Type': 'application/json',
  };
  const sent = await send(port, 'POST', '/track', headers, [JSON.stringify({ event_type: 'forged' })]);
  assert.equal(sent.status, 200, sent.body);
  const q = 'forged | last 1 d | count by _ip, _country';
  const asked = await send(port, 'POST', '/query', headers, [JSON.stringify({ q, format: 'json' })]);
  assert.equal(asked.status, 200, asked.body);
  assert.ok(!asked.body.includes(FORGED) && !asked.body.includes('ZZ'), `a forged header was believed: ${asked.body}`);
}

async function streamedUpload(port, key) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
  const line = (n) => `${JSON.stringify({ event_type: 'bulk', event_properties: { n, padding: 'x'.repeat(300) } })}\n`;
  const pieces = Array.from({ length: LINES / 1_000 }, (_, piece) =>
    Array.from({ length: 1_000 }, (__, i) => line(piece * 1_000 + i)).join(''),
  );
  const sent = await send(port, 'POST', '/track', headers, pieces);
  assert.equal(sent.status, 200, sent.body);
  assert.equal(JSON.parse(sent.body).accepted, LINES);
}

async function send(port, method, path, headers = {}, pieces = []) {
  const asked = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    servername: 'localhost',
    rejectUnauthorized: false,
    headers: { Host: `localhost:${port}`, ...headers },
  });
  const answered = once(asked, 'response');
  for (const piece of pieces) if (!asked.write(piece)) await once(asked, 'drain');
  asked.end();
  const [response] = await answered;
  return { status: response.statusCode, body: await text(response) };
}

function start(program, args, env) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.on('data', (piece) => appendFileSync(join(folder, 'log'), piece));
  child.on('error', (error) => console.error(`${program}: ${error.message}`));
  children.push(child);
  return child;
}

async function until(holds) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(100)) {
    if (await attempt(holds)) return;
  }
  throw new Error(`it did not come up:\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

async function attempt(holds) {
  try {
    return await holds();
  } catch {
    return false; // not yet
  }
}
