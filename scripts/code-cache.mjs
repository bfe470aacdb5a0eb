// Gives a service of the build some work and stores what V8 compiles meanwhile, dist/bundle/*.code.bin: later ones need not
// compile it before their first query. Run by the build, for the Node that runs it; skipped while the programs are the same.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from './steps.mjs';

const BUNDLE = join(ROOT, 'dist/bundle');
/** Threads that every service has; nobody waits for what others do. */
const KEPT = ['service', 'writer-thread', 'worker'].map((name) => join(BUNDLE, `${name}.code.bin`));
const PATIENCE = 600_000; // milliseconds: the machine may be busy
const POLL = 20;
const DAY = 86_400_000;

/** One of each kind, each sent in several formats. */
const QUESTIONS = [
  '* | last 30 d | count by day',
  '* | last 30 d | count by event_type | top 20',
  '* | last 90 d | unique by day',
  '* | last 30 d | where event_properties.browser = "Chrome" | count by event_properties.country | top 10',
  'view | last 30 d | count, unique, avg event_properties.ms by event_properties.path | top 20',
  'pay | last 90 d | sum event_properties.amount by week',
  '* | last 30 d | p95 event_properties.ms by event_properties.browser',
  '* | last 30 d | where event_properties.path contains "/docs" | count by day',
  'funnel view -> pay | last 90 d | window 7 d',
  'retention view returning any | last 12 w | by week',
  'lifecycle view | last 30 d | by week',
  'stickiness view | last 30 d',
  'sessions | last 30 d | by day',
  'paths from view | last 30 d | depth 4 | window 1 h | top 20',
  'users | last 30 d | count',
  'fields | last 30 d',
  '* | last 7 d | list | limit 20',
  '* | last 30 d | count, unique by event_properties.country, week | limit 50',
  'view | last 30 d | where event_properties.ms > 10 | avg event_properties.ms, max event_properties.amount by event_properties.path',
  '* | last 30 d | where event_properties.browser != "Safari" | mode event_properties.country by month',
  '* | last 30 d | where session.event_count > 3 | unique by week',
  'funnel view -> click -> pay | last 90 d | by event_properties.country',
  'retention view returning click | last 4 w | by day',
  'paths from view | last 30 d | where event_properties.browser = "Firefox" | depth 3',
];

const key = createHash('sha256');
const KEEPER = join(ROOT, 'scripts/keep-code.cjs');
for (const file of [...globSync(`${BUNDLE}/*.code.cjs`).toSorted(), KEEPER]) key.update(readFileSync(file));
const made = `${process.version} ${key.digest('hex')}\n`;
const stamp = join(BUNDLE, 'code.key');
const known = existsSync(stamp) && KEPT.every((file) => existsSync(file)) && readFileSync(stamp, 'utf8') === made;
if (!known) await make();

async function make() {
  for (const file of [stamp, ...KEPT]) rmSync(file, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'wl-code-'));
  try {
    const keep = join(folder, 'keep');
    const secretKey = await serve(folder, keep, async (url, key) => {
      await send(url, key);
      return key;
    });
    // What a service does first is what one does that finds projects.
    await serve(folder, keep, async (url) => {
      await ask(url, secretKey);
      await send(url, secretKey);
      await ask(url, secretKey);
      writeFileSync(keep, '');
      await post(url, secretKey, '/query', { q: QUESTIONS[0] });
      await until(() => KEPT.every((file) => existsSync(file)), 'no code was kept');
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
  writeFileSync(stamp, made);
}

/** Runs a service on a data folder for as long as `work` takes, and returns what that does. */
async function serve(folder, keep, work) {
  const child = spawn(process.execPath, [join(ROOT, 'dist/bin/wl.js'), 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_OPTIONS: `--require=${JSON.stringify(KEEPER)}`,
      WINDLASS_KEEP_CODE: keep,
      WINDLASS_DATA: join(folder, 'data'),
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: 'none',
      WINDLASS_THREADS: '1',
      WINDLASS_QUERY_TIMEOUT: '10m',
      WINDLASS_LOG_LEVEL: 'error',
    },
  });
  const ended = once(child, 'exit');
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (told += text));
  try {
    const said = (pattern) => pattern.exec(told)?.[1];
    await until(
      () => said(/ is ready on (\S+) /) !== undefined || child.exitCode !== null,
      'the service did not start',
    );
    return await work(said(/ is ready on (\S+) /), said(/secret key +(sk_\w+)/));
  } finally {
    child.kill();
    await ended;
  }
}

async function ask(url, secretKey) {
  for (const format of ['json', 'llm', 'csv'])
    for (const q of QUESTIONS) await post(url, secretKey, '/query', { q, format });
}

async function send(url, secretKey) {
  const now = Date.now();
  const events = Array.from({ length: 600 }, (_, nth) => ({
    event_type: ['view', 'view', 'click', 'pay'][nth % 4],
    time: new Date(now - ((nth * 7_919) % 8_600) * (DAY / 100)).toISOString(),
    device_id: `d${nth % 40}`,
    session_id: `s${nth % 150}`,
    ...(nth % 3 === 0 ? { user_id: `u${nth % 20}` } : {}),
    insert_id: `i${nth}`,
    event_properties: {
      ...{ browser: ['Chrome', 'Firefox', 'Safari'][nth % 3], country: ['DE', 'US', 'FR', 'BR'][nth % 4] },
      ...{ path: `/docs/${nth % 25}`, ms: nth % 97, amount: (nth % 31) + 0.5 },
    },
  }));
  await post(url, secretKey, '/track', { events });
  await post(url, secretKey, '/identify', { user_id: 'u1', device_id: 'd1', user_properties: { plan: 'pro' } });
}

async function post(url, secretKey, path, body) {
  const headers = { 'X-API-Key': secretKey, 'Content-Type': 'application/json' };
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} ${JSON.stringify(body).slice(0, 200)}: ${text}`);
}

async function until(holds, what) {
  const begun = performance.now();
  while (!holds()) {
    if (performance.now() - begun > PATIENCE) throw new Error(what);
    await sleep(POLL);
  }
}
