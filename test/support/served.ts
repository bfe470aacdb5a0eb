import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { holdToDescription, letGo } from './checked-fetch.ts';
import { COMPILE_CACHE } from './compile-cache.ts';

const WL = fileURLToPath(new URL('../../bin/wl.js', import.meta.url));

/** If it is set, a service does not restart itself to set it. */
const MEMORY = { MALLOC_MMAP_THRESHOLD_: '2097152' };

/** A `wl serve` in its own process, on a free port. */
export class Served {
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  /** Code and signal, once all that it wrote is here. */
  readonly exited: Promise<unknown[]>;
  stdout = '';
  stderr = '';

  /** `descriptors`: how many the process may have open. `options`: of its command line. */
  constructor(
    folder: string,
    env: Record<string, string | undefined> = {},
    descriptors: number | null = null,
    options: readonly string[] = [],
  ) {
    const settings = {
      WINDLASS_ADDR: '127.0.0.1:0',
      WINDLASS_METRICS_ADDR: 'none',
      WINDLASS_DATA: folder,
      WINDLASS_THREADS: '1',
      WINDLASS_QUERY_TIMEOUT: '10m',
      WINDLASS_QUERIES_PER_MINUTE: '0', // a test may ask until it sees what it waits for
      ...env,
    };
    const limit = descriptors === null ? '' : `ulimit -n ${descriptors} && `;
    this.#child = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, WL, 'serve', ...options], {
      env: { PATH: process.env['PATH'], ...COMPILE_CACHE, ...MEMORY, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.exited = once(this.#child, 'close'); // what it wrote last may come after its end
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The address, once the ready line is there. */
  async ready(): Promise<string> {
    for (;;) {
      const url = / is ready on (\S+) /.exec(this.stdout)?.[1];
      if (url !== undefined) {
        holdToDescription(url);
        void this.exited.then(() => letGo(url));
        return url;
      }
      if (!this.isRunning) {
        const [code, signal] = await this.exited;
        throw new Error(`it ended (${String(code ?? signal)}): ${this.stderr}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The key printed at the first start; '' at any later one. Ids may contain `sk_`, too. */
  get secretKey(): string {
    return /secret key +(sk_\w+)/.exec(this.stdout)?.[1] ?? '';
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
