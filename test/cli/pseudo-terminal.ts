/** `wl` at a terminal, as a person uses it. */
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import type { IPty } from '@lydell/node-pty';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { PROGRAM } from './run-wl.ts';

export const ENTER = '\r';
export const CTRL_C = '\u0003';

/** How long it may take until a text shows. */
const PATIENCE_MS = 200_000;

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** A shell's command line instead of `wl` alone; `wl` is a function in it. */
  readonly script?: string;
}

export class PseudoTerminal {
  /** Everything written to the terminal, unchanged. */
  raw = '';
  readonly #pty: IPty;
  readonly #exited: Promise<number>;

  constructor(args: readonly string[], { env = {}, columns = 80, script }: Setting = {}) {
    const shell = `wl() { "${process.execPath}" "${PROGRAM}" "$@"; }; ${script}`;
    const [file, line] = script === undefined ? [process.execPath, [PROGRAM, ...args]] : ['/bin/sh', ['-c', shell]];
    this.#pty = spawn(file, line, {
      name: env['TERM'] ?? 'xterm-256color',
      cols: columns,
      rows: 40,
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', ...COMPILE_CACHE, ...env },
    });
    this.#pty.onData((text) => (this.raw += text));
    this.#exited = new Promise((resolve) => this.#pty.onExit(({ exitCode }) => resolve(exitCode)));
  }

  /** What a person reads, without colours and cursor moves. */
  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r\n', '\n');
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Waits until the terminal shows a text. */
  async shows(text: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!this.text.includes(text)) {
      if (Date.now() > end) throw new Error(`the terminal does not show ${JSON.stringify(text)}:\n${this.text}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The exit code. */
  exited(): Promise<number> {
    return this.#exited;
  }
}
