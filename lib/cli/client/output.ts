/** Data on stdout, in the requested format. */
import { unicodeEscape } from '../../base/text/unicode-escape.ts';
import type { TableContent } from '../output/table.ts';
import type { Terminal } from '../terminal.ts';
import { printable } from '../text.ts';
import type { OutputFormat } from './global-options.ts';

type Record = Readonly<{ [name: string]: unknown }>;

export class Output {
  readonly format: OutputFormat;
  readonly #terminal: Terminal;
  readonly #color: boolean;

  constructor(format: OutputFormat, terminal: Terminal, color: boolean) {
    this.format = format;
    this.#terminal = terminal;
    this.#color = color;
  }

  /** A value as JSON, indented. */
  json(value: unknown): void {
    const text = JSON.stringify(value, null, 2);
    this.#terminal.print(this.forPeople ? escapeControls(text) : text);
  }

  /** Text from the server; on a terminal, without control sequences. */
  raw(text: string): void {
    this.#terminal.print(this.forPeople ? printable(text.replaceAll('\r\n', '\n')) : text);
  }

  /** As `raw`, for a piece of a longer text. Resolves when there is room for more, to false if nobody reads it. */
  piece(text: string): Promise<boolean> {
    return this.#terminal.write(Buffer.from(this.forPeople ? printable(text.replaceAll('\r\n', '\n')) : text));
  }

  /** Lines of JSON as the server sends them. Resolves when there is room for more, to false if nobody reads them. */
  lines(bytes: Buffer): Promise<boolean> {
    return this.#terminal.write(this.forPeople ? Buffer.from(escapeControls(bytes.toString('utf8'))) : bytes);
  }

  /** A line above a table. */
  heading(text: string): void {
    this.#terminal.print(`\n${printable(text)}`);
  }

  async table(content: TableContent): Promise<void> {
    this.#terminal.print(await this.tableText(content));
  }

  /** A table as text: for stderr. */
  async tableText(content: TableContent): Promise<string> {
    const { renderTable, styleOf } = await import('../output/table.ts');
    return renderTable(content, styleOf(this.#terminal.stdout, process.env, !this.#color));
  }

  /** Records as JSON, or their named columns as a table. */
  async records(value: readonly Record[], columns: readonly string[], footer: readonly string[] = []): Promise<void> {
    if (this.format === 'json') {
      this.json(value);
      return;
    }
    const rows = value.map((record) => columns.map((name) => record[name]));
    await this.table({ columns: columns.map((name) => ({ name, whole: name === 'id' })), rows, footer });
  }

  /** One record as JSON, or a line for each field. */
  async record(value: Record): Promise<void> {
    if (this.format === 'json') {
      this.json(value);
      return;
    }
    const rows = Object.entries(value).map(([name, field]) => [name, field]);
    await this.table({ columns: [{ name: 'field' }, { name: 'value' }], rows });
  }

  /** Whether somebody looks at stdout. */
  get forPeople(): boolean {
    return this.#terminal.stdout.isTTY === true;
  }
}

/** Equivalent JSON, without the control characters that JSON allows in texts. */
function escapeControls(json: string): string {
  return json.replace(/[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g, unicodeEscape);
}
