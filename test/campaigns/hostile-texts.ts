/**
 * An attack with a public key: streams of events with long, all different texts in the given field. Reports the memory of the
 * server's process, the delays of other projects, the duration of a restart after a kill, and what is left after the project is
 * deleted. Run it on the built files:
 *
 *     node dist/test/campaigns/hostile-texts.js --field user_id --streams 10 --events 344000
 *
 * Exits 1 when a bound is broken. Takes minutes and some gigabytes of disk; loopback only.
 */
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { residentOf } from '../support/resident.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
const MIB = 1_048_576;

const { values: options } = parseArgs({
  options: {
    /** user_id, device_id, session_id, insert_id, event_type, key (of a property), text (of a property), profile, binding. */
    field: { type: 'string', default: 'user_id' },
    streams: { type: 'string', default: '10' },
    /** Per stream: 344,000 are 512 MiB. */
    events: { type: 'string', default: '344000' },
    /** Three-byte characters in each text. */
    length: { type: 'string', default: '500' },
    /** Most resident memory of the server, MiB. */
    resident: { type: 'string', default: '1024' },
    /** 99th percentile of the others' delays, ms. */
    wait: { type: 'string', default: '100' },
    /** Time until the server is ready after a restart, ms. */
    restart: { type: 'string', default: '2000' },
    /** Queries sent to the project. */
    query: {
      type: 'string',
      multiple: true,
      default: ['* | count by user_id', '* | unique user_id', 'users', 'inspect *', 'fields'],
    },
    /** Sends all streams again, when their ids are on disk. */
    again: { type: 'boolean', default: false },
    env: { type: 'string', multiple: true, default: [] },
  },
});

const count = { streams: Number(options.streams), events: Number(options.events), length: Number(options.length) };
const broken: string[] = [];

const say = (line: string): unknown => process.stdout.write(`${line}\n`);

function hold(what: string, value: number, most: number): void {
  const line = `${what}: ${Math.round(value)} (at most ${most})`;
  say(value <= most ? `  ok      ${line}` : `  BROKEN  ${line}`);
  if (value > most) broken.push(line);
}

class Server {
  readonly child: ChildProcess;
  url = '';
  peak = 0;
  readonly #watch: NodeJS.Timeout;

  constructor(folder: string) {
    const settings = Object.fromEntries(options.env.map((entry) => /^([^=]*)=(.*)$/.exec(entry)!.slice(1)));
    this.child = spawn(process.execPath, [WL, 'serve'], {
      env: {
        ...{ PATH: process.env['PATH'], WINDLASS_DATA: folder, WINDLASS_ADDR: '127.0.0.1:0' },
        ...{
          WINDLASS_METRICS_ADDR: 'none',
          WINDLASS_EVENTS_PER_MINUTE: '0',
          WINDLASS_QUERIES_PER_MINUTE: '0',
          ...settings,
        },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#watch = setInterval(() => (this.peak = Math.max(this.peak, this.resident())), 50);
  }

  async ready(): Promise<number> {
    const begun = performance.now();
    let told = '';
    for await (const piece of this.child.stdout!) {
      told += String(piece);
      const url = / is ready on (\S+) /.exec(told)?.[1];
      if (url === undefined) continue;
      this.url = url;
      return performance.now() - begun;
    }
    throw new Error('the server ended');
  }

  /** MiB. */
  resident(): number {
    return residentOf(this.child.pid!) / 1024;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    clearInterval(this.#watch);
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

/** How long queries took. */
function questionsOf(waits: readonly number[]): string {
  const sorted = waits.toSorted((a, b) => a - b);
  return `${sorted.length} questions, median ${sorted[sorted.length >> 1]?.toFixed(0)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms`;
}

async function post(
  url: string,
  key: string,
  body: string,
  type = 'application/json',
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method: 'POST', headers: { 'x-api-key': key, 'content-type': type }, body });
  return { status: answer.status, text: await answer.text() };
}

/** The line of event `n`: short except for the one text. */
function lineOf(n: number, filler: string): string {
  const text = `${String.fromCodePoint(0x4e00 + (n % 8192))}${filler}${n}`;
  switch (options.field) {
    case 'key':
      return `{"event_type":"e","device_id":"d","event_properties":{"k${n}${filler.slice(0, 200)}":1}}\n`;
    case 'text':
      return `{"event_type":"e","device_id":"d","event_properties":{"k":"${text}"}}\n`;
    case 'texts':
      return `{"event_type":"e","device_id":"d","event_properties":{"k${n % 1900}":"${text}"}}\n`;
    case 'event_type':
      return `{"event_type":"${text.slice(0, 256 - 8)}${n}","device_id":"d"}\n`;
    case 'profile':
      return `{"event_type":"e","user_id":"u${n}","user_properties":{"k":"${text}"}}\n`;
    case 'binding':
      return `{"user_id":"u${n}","device_id":"${text}"}\n`;
    default:
      return `{"event_type":"e","${options.field}":"${text}"}\n`;
  }
}

/**
 * Compresses the body of a stream into a file before the attack: attackers have their own machines, and compressing during it
 * would take CPU time from the victims.
 */
async function pack(name: string, first: number): Promise<void> {
  const filler = '字'.repeat(Math.max(0, count.length - 10));
  function* pieces(): Generator<string> {
    for (let n = 0; n < count.events; n += 500) {
      let piece = '';
      for (let i = n; i < Math.min(n + 500, count.events); i++) piece += lineOf(first + i, filler);
      yield piece;
    }
  }
  await pipeline(pieces, createGzip({ level: 6 }), fs.createWriteStream(name));
}

async function stream(url: string, key: string, name: string): Promise<{ status: number; text: string }> {
  const where = options.field === 'binding' ? '/identify' : '/track';
  const request = http.request(`${url}${where}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' },
  });
  const answered = once(request, 'response') as Promise<[http.IncomingMessage]>;
  fs.createReadStream(name).pipe(request);
  const [response] = await answered;
  let text = '';
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode ?? 0, text };
}

/** Sends an event to another project every 10 ms and a query every 100 ms; measures how long each takes, ms. */
class Others {
  readonly waits: number[] = [];
  readonly #asked: number[] = [];
  #running = true;
  readonly #done: Promise<unknown>;

  constructor(url: string, keys: Record<string, string>) {
    const agent = new http.Agent({ keepAlive: true });
    const events = this.#run(url, keys['public_key']!, agent).finally(() => agent.destroy());
    this.#done = Promise.all([events, this.#ask(url, keys['secret_key']!)]);
    this.#done.catch(() => (this.#running = false)); // `end` reports it
  }

  async #ask(url: string, key: string): Promise<void> {
    while (this.#running) {
      const begun = performance.now();
      const { status, text } = await post(`${url}/query`, key, '{"q":"* | count by user_id","format":"json"}');
      if (status !== 200) throw new Error(`another project's question was answered ${status} ${text.slice(0, 200)}`);
      this.#asked.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #run(url: string, key: string, agent: http.Agent): Promise<void> {
    const body = '{"event_type":"e","user_id":"someone"}';
    while (this.#running) {
      const begun = performance.now();
      const status = await new Promise<number>((resolve, reject) => {
        const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-length': body.length };
        http
          .request(`${url}/track`, { method: 'POST', agent, headers }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0));
          })
          .on('error', reject)
          .end(body);
      });
      if (status !== 200) throw new Error(`another project's event was answered ${status}`);
      this.waits.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async end(): Promise<number> {
    this.#running = false;
    await this.#done;
    const sorted = this.waits.toSorted((a, b) => a - b);
    say(
      `  others: ${sorted.length} events, median ${sorted[sorted.length >> 1]?.toFixed(1)} ms, p90 ${sorted[Math.floor(sorted.length * 0.9)]?.toFixed(1)} ms, longest ${sorted.at(-1)?.toFixed(0)} ms; ${questionsOf(this.#asked)}`,
    );
    return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-hostile-'));
/** The attacker's files. */
const outside = fs.mkdtempSync(path.join(os.tmpdir(), 'windlass-attacker-'));
const admin = (...words: string[]): Record<string, string> =>
  JSON.parse(
    execFileSync(process.execPath, [WL, 'admin', ...words, '--json'], {
      env: { PATH: process.env['PATH'], WINDLASS_DATA: folder },
    }).toString(),
  ) as Record<string, string>;

async function attack(): Promise<void> {
  const bodies = Array.from({ length: count.streams }, (_, i) => path.join(outside, `${i}.gz`));
  for (const [i, body] of bodies.entries()) await pack(body, i * count.events);
  let server = new Server(folder);
  await server.ready();
  const hostile = admin('project', 'create', 'Hostile');
  const other = admin('project', 'create', 'Other');
  say(`at rest: ${server.resident().toFixed(0)} MiB`);
  let others = new Others(server.url, other);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const alone = await others.end();
  say(`others alone, ms (p99): ${alone.toFixed(1)}`); // the delay caused by the machine itself
  others = new Others(server.url, other);
  const sent = options.again ? [...bodies, ...bodies] : bodies;
  for (let round = 0; round < sent.length; round += 5) {
    const begun = performance.now();
    const names = sent.slice(round, round + 5);
    const answers = await Promise.all(names.map((name) => stream(server.url, hostile['public_key']!, name)));
    const bytes = names.reduce((sum, name) => sum + fs.statSync(name).size, 0);
    say(
      `streams ${round + 1} to ${round + names.length}: ${(bytes / 1e6).toFixed(1)} MB on the wire, ${((performance.now() - begun) / 1000).toFixed(0)} s, now ${server.resident().toFixed(0)} MiB`,
    );
    for (const { status, text } of answers) if (status !== 200) say(`  answered ${status} ${text.slice(0, 300)}`);
  }
  hold('resident while events come, MiB', server.peak, Number(options.resident));
  const attacked = await others.end();
  hold('others wait while events come, ms (p99)', attacked, Number(options.wait));
  say(`  ${(attacked / alone).toFixed(1)} times what they wait alone`);

  others = new Others(server.url, other);
  for (const q of options.query) await ask(server, hostile['secret_key']!, q);
  hold('others wait during questions, ms (p99)', await others.end(), Number(options.wait));
  others = new Others(server.url, other);
  await askAtOnce(server, hostile['secret_key']!);
  hold('others wait during questions at once, ms (p99)', await others.end(), Number(options.wait));

  await server.end('SIGKILL');
  server = new Server(folder);
  hold('restart after a kill, ms', await server.ready(), Number(options.restart));
  others = new Others(server.url, other);
  const begun = performance.now();
  const one = await post(`${server.url}/track`, hostile['public_key']!, lineOf(1, '字'.repeat(count.length - 10)));
  say(`  one event after the restart: ${one.status}, ${(performance.now() - begun).toFixed(0)} ms`);
  for (const q of options.query) await ask(server, hostile['secret_key']!, q);
  hold(
    'others wait after the restart, ms (longest)',
    Math.max(await others.end(), ...others.waits),
    Number(options.wait) * 2,
  );
  hold('resident after the restart, MiB', server.peak, Number(options.resident));
  say(`  on disk: ${(bytesOf(folder) / MIB).toFixed(0)} MiB`);
  others = new Others(server.url, other);
  const asked = performance.now();
  await deleted(hostile['id']!);
  say(`  deleted in ${Math.round(performance.now() - asked)} ms`);
  hold('others wait for the deletion, ms (p99)', await others.end(), Number(options.wait) * 2);
  hold('left on disk, MiB', bytesOf(folder) / MIB, 64);
  await server.end('SIGTERM');
}

async function ask(server: Server, key: string, q: string): Promise<void> {
  const before = server.peak;
  server.peak = 0;
  const begun = performance.now();
  const { status, text } = await post(`${server.url}/query`, key, JSON.stringify({ q, format: 'json' }));
  const took = performance.now() - begun;
  say(
    `  ${q}: ${status} in ${took.toFixed(0)} ms, ${server.resident().toFixed(0)} MiB ${status === 200 ? `${text.length} characters` : text.slice(0, 160)}`,
  );
  hold(`resident during ${q}, MiB`, server.peak, Number(options.resident));
  server.peak = Math.max(server.peak, before);
}

/** More queries at once than a project may run; each may fail for lack of memory, but those of other projects may not. */
async function askAtOnce(server: Server, key: string): Promise<void> {
  server.peak = 0;
  const questions = Array.from({ length: 12 }, (_, i) => options.query[i % options.query.length]!);
  const answers = await Promise.all(
    questions.map((q) => post(`${server.url}/query`, key, JSON.stringify({ q, format: 'json' }))),
  );
  say(`  ${answers.length} at once: ${answers.map(({ status }) => status).join(' ')}, ${server.peak.toFixed(0)} MiB`);
}

/** Deletes the project asynchronously, so that the measurements of the others go on. */
async function deleted(project: string): Promise<void> {
  const child = spawn(process.execPath, [WL, 'admin', 'project', 'delete', project, '--name', 'Hostile'], {
    env: { PATH: process.env['PATH'], WINDLASS_DATA: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the deletion ended with ${code}`);
}

function bytesOf(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}

try {
  await attack();
} finally {
  for (const name of [folder, outside]) fs.rmSync(name, { recursive: true, force: true });
}
if (broken.length > 0) {
  say(`\n${broken.length} bounds are broken:\n${broken.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = 1;
}
