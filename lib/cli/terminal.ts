import type { Writable } from 'node:stream';
import { wrapLines } from './output/display-width.ts';
import { printable } from './text.ts';

/** A stream that may be a terminal; `process.stdout` fits. */
export interface Screen extends Writable {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

/** Of a terminal that does not report its own, as in some editors and on serial lines. */
export const USUAL_COLUMNS = 80;

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
    stderr.on('error', () => undefined); // nobody is left to read it
  }

  /** Lines of data, unchanged. */
  print(text: string): void {
    if (text === '' || this.#gone) return;
    this.#hideStatus();
    this.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  /** Bytes of data, unchanged. Resolves when there is room for more, to false if nobody reads them any more. */
  async write(bytes: Uint8Array): Promise<boolean> {
    if (this.#gone) return false;
    if (this.stdout.write(bytes)) return true;
    await this.#room();
    return !this.#gone;
  }

  /** One JSON value on its own line. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  /** A diagnostic; suppressed after `hush`. */
  say(text: string): void {
    if (!this.#quiet) this.shout(text);
  }

  /** A diagnostic despite `hush`. */
  shout(text: string): void {
    this.#tell(printable(text));
  }

  /** A diagnostic that has colours, and nothing else that a terminal obeys; suppressed after `hush`. */
  sayStyled(text: string): void {
    if (!this.#quiet) this.#tell(text);
  }

  /** Breaks lines between words where a person reads them. */
  #tell(text: string): void {
    const { isTTY, columns } = this.stderr;
    this.#hideStatus();
    this.stderr.write(`${isTTY === true ? wrapLines(text, columns || USUAL_COLUMNS) : text}\n`);
    this.#showStatus();
  }

  /** A line that the next one replaces, if stderr is a terminal; '' removes it. */
  status(text: string): void {
    if (this.#quiet || this.stderr.isTTY !== true) return;
    this.#hideStatus();
    this.#status = printable(text).slice(0, Math.max(1, (this.stderr.columns || USUAL_COLUMNS) - 1));
    this.#showStatus();
  }

  /** Suppresses later diagnostics. */
  hush(): void {
    this.#quiet = true;
  }

  /** Sets the exit code of the process; the first that is not 0 stays. */
  exitWith(code: number): void {
    if (this.#exitCode === 0) this.#exitCode = code;
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /** Resolves when stdout has drained, or nobody reads it any more. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.stdout.off('drain', done).off('close', done);
        resolve();
      };
      this.stdout.on('drain', done).on('close', done);
    });
  }

  /** A reader that stops early (`| head -1`) is no error; a full disk is one. */
  #lose(error: NodeJS.ErrnoException): void {
    if (!this.#gone && error.code !== 'EPIPE') {
      this.exitWith(1);
      process.exitCode = 1; // it may come after the command has ended
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
