import type { Writable } from 'node:stream';
import { printable } from './text.ts';

/** A stream that may be a terminal; `process.stdout` fits. */
export interface Screen extends Writable {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

const CLEAR_LINE = '\r\u001B[K';

/** Where a command writes: data to stdout, everything else to stderr. */
export class Terminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  #exitCode = 0;
  #quiet = false;
  #gone = false;
  #status = '';

  constructor(stdout: Screen, stderr: Screen) {
    this.stdout = stdout;
    this.stderr = stderr;
    stdout.on('error', (error: NodeJS.ErrnoException) => this.#lose(error));
    stderr.on('error', () => undefined); // there is nobody left to tell
  }

  /** Lines of data, as they are. */
  print(text: string): void {
    if (text === '' || this.#gone) return;
    this.#hideStatus();
    this.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Bytes of data, as they are. Resolves when there is room for more, to false when nobody reads them any more. */
  async write(bytes: Uint8Array): Promise<boolean> {
    if (this.#gone) return false;
    if (this.stdout.write(bytes)) return true;
    await this.#room();
    return !this.#gone;
  }

  /** One JSON value on a line of its own. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  /** A diagnostic; nothing when the terminal is hushed. */
  say(text: string): void {
    if (!this.#quiet) this.shout(text);
  }

  /** A diagnostic that must be seen. */
  shout(text: string): void {
    this.#hideStatus();
    this.stderr.write(`${printable(text)}\n`);
    this.#showStatus();
  }

  /** A line that is replaced by the next one, where stderr is a terminal; '' removes it. */
  status(text: string): void {
    if (this.#quiet || this.stderr.isTTY !== true) return;
    this.#hideStatus();
    this.#status = printable(text).slice(0, Math.max(1, (this.stderr.columns ?? 80) - 1));
    this.#showStatus();
  }

  /** From now on nothing is said. */
  hush(): void {
    this.#quiet = true;
  }

  /** The exit code of the process; the first that is not 0 stays. */
  exitWith(code: number): void {
    if (this.#exitCode === 0) this.#exitCode = code;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Resolves when stdout has taken what it was given, or nobody reads it any more. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.stdout.off('drain', done).off('close', done);
        resolve();
      };
      this.stdout.on('drain', done).on('close', done);
    });
  }

  /** A reader that has seen enough (`| head -1`) is no error; a disk that is full is one. */
  #lose(error: NodeJS.ErrnoException): void {
    if (!this.#gone && error.code !== 'EPIPE') {
      this.exitWith(1);
      process.exitCode = 1; // it may come when the command has ended
      this.say(`wl: cannot write to stdout: ${error.message}`);
    }
    this.#gone = true;
  }

  #hideStatus(): void {
    if (this.#status !== '') this.stderr.write(CLEAR_LINE);
  }

  #showStatus(): void {
    if (this.#status !== '') this.stderr.write(this.#status);
  }
}
