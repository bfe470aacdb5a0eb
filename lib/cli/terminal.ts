import type { Writable } from 'node:stream';
import { printable } from './text.ts';

/** Where a command writes: data to stdout, everything else to stderr. */
export class Terminal {
  readonly #stdout: Writable;
  readonly #stderr: Writable;
  #exitCode = 0;

  constructor(stdout: Writable, stderr: Writable) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    // A reader that has seen enough (`| head -1`) is no error.
    stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }

  /** Lines of data, as they are. */
  print(text: string): void {
    this.#stdout.write(text.endsWith('\n') || text === '' ? text : `${text}\n`);
  }

  /** One JSON value on a line of its own. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  /** A diagnostic. */
  say(text: string): void {
    this.#stderr.write(`${printable(text)}\n`);
  }

  /** The exit code of the process; the first that is not 0 stays. */
  exitWith(code: number): void {
    if (this.#exitCode === 0) this.#exitCode = code;
  }

  get exitCode(): number {
    return this.#exitCode;
  }
}
