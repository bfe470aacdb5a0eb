/** `wl serve` as a real process on a data folder of the bench, with a project. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));
const HOST = '127.0.0.1';
const START_SECONDS = 120; // a start replays the journal of a killed server

export interface Project {
  readonly id: string;
  readonly secretKey: string;
}

export interface ServerOptions {
  /** The program of another build. */
  readonly wl?: string;
  /** Options of Node. */
  readonly node?: readonly string[];
  /** How many file descriptors it may open (`ulimit -n`). */
  readonly descriptors?: number;
}

/** Length of a clock tick in /proc, in seconds. */
const TICK = 0.01;

export class WindlassServer {
  readonly host = HOST;
  readonly port: number;
  readonly metricsPort: number;
  readonly folder: string;
  /** Its program. */
  readonly wl: string;
  readonly #child: ChildProcess;
  #stopping = false;

  private constructor(
    child: ChildProcess,
    { folder, wl }: { readonly folder: string; readonly wl: string },
    ports: readonly [number, number],
  ) {
    this.#child = child;
    this.folder = folder;
    this.wl = wl;
    [this.port, this.metricsPort] = ports;
    child.once('exit', (code, signal) => {
      if (!this.#stopping) console.error(`bench: wl serve ended by itself (${signal ?? code})`);
    });
  }

  /** Starts the service and waits until it is ready. Without rate limits, which are not measured. */
  static async start(folder: string, threads: number, options: ServerOptions = {}): Promise<WindlassServer> {
    const ports = [await freePort(), await freePort()] as const;
    const { node = [], wl = WL, descriptors } = options;
    const command = [process.execPath, ...node, wl, 'serve'];
    const limited = descriptors === undefined ? command : ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...command]; // prettier-ignore
    const child = spawn(limited[0]!, limited.slice(1), {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        ...process.env,
        WINDLASS_DATA: resolve(folder),
        WINDLASS_ADDR: `${HOST}:${ports[0]}`,
        WINDLASS_METRICS_ADDR: `${HOST}:${ports[1]}`,
        WINDLASS_THREADS: String(threads),
        WINDLASS_EVENTS_PER_MINUTE: '0',
        WINDLASS_QUERIES_PER_MINUTE: '0',
        WINDLASS_LOG_LEVEL: 'warn',
      },
    });
    const kill = (): boolean => child.kill();
    process.once('exit', kill); // a failing bench leaves no server behind
    child.once('exit', () => process.off('exit', kill));
    const server = new WindlassServer(child, { folder, wl }, ports);
    await server.#ready();
    return server;
  }

  /** Creates a project in the running server's data folder. */
  async createProject(name: string): Promise<Project> {
    const { stdout } = await promisify(execFile)(process.execPath, [WL, 'admin', 'project', 'create', name, '--json'], {
      env: { ...process.env, WINDLASS_DATA: resolve(this.folder) },
    });
    const { id, secret_key: secretKey }: { id: string; secret_key: string } = JSON.parse(stdout);
    return { id, secretKey };
  }

  /** Number of open file descriptors of the process. Linux only. */
  descriptors(): number {
    return readdirSync(`/proc/${this.#child.pid}/fd`).length;
  }

  /** Resident memory of the process, bytes. */
  memory(): number {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(this.#child.pid)], { encoding: 'utf8' })) * 1024;
  }

  /** Processor time used by the process so far, seconds. Linux only. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8');
    const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13); // prettier-ignore
    return (Number(user) + Number(system)) * TICK;
  }

  /** The same by thread, under the kernel's names. */
  threadSeconds(): Map<string, number> {
    const folder = `/proc/${this.#child.pid}/task`;
    return new Map(
      readdirSync(folder).map((id) => {
        const stat = readFileSync(`${folder}/${id}/stat`, 'utf8');
        const [user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13); // prettier-ignore
        return [
          `${stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))} ${id}`,
          (Number(user) + Number(system)) * TICK,
        ];
      }),
    );
  }

  /** Prometheus text. */
  async metrics(): Promise<string> {
    const response = await fetch(`http://${HOST}:${this.metricsPort}/metrics`);
    return response.text();
  }

  /** Asks the service to shut down and waits until it has ended. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** Kills it at once: what it acknowledged is in its journal. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  #end(signal: NodeJS.Signals): Promise<void> {
    return new Promise((done) => {
      this.#stopping = true;
      this.#child.once('exit', () => done());
      this.#child.kill(signal);
    });
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_SECONDS * 1000;
    while (Date.now() < deadline) {
      if (this.#child.exitCode !== null) throw new Error(`wl serve ended with ${this.#child.exitCode}`);
      const response = await fetch(`http://${HOST}:${this.port}/readyz`).catch(() => null); // refused until it listens
      if (response?.ok) return;
      await new Promise((wait) => setTimeout(wait, 20));
    }
    throw new Error(`wl serve was not ready within ${START_SECONDS} s`);
  }
}

function freePort(): Promise<number> {
  return new Promise((done, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? done(address.port) : reject(new Error('no free port')),
      );
    });
  });
}
