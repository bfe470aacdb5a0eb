/** Sends queries to Windlass over one keep-alive connection, timed end to end. */
import { HttpConnection, postRequest } from '../http-connection.ts';
import type { Cell, Row } from '../peers/peer.ts';
import type { Project, WindlassServer } from './server.ts';

/** More rows than any answer has. */
const LIMIT = 10_000;

/** The service does not support such queries yet, or none with so many groups. */
export class NotAvailable extends Error {}

/** A connection idle for longer is reopened before the clock starts: the server may be closing it. Milliseconds. */
const FRESH = 2_000;

export class WindlassClient {
  readonly #server: WindlassServer;
  #connection: HttpConnection;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(server: WindlassServer, connection: HttpConnection, secretKey: string) {
    this.#server = server;
    this.#connection = connection;
    this.#headers = { 'X-API-Key': secretKey, 'Content-Type': 'application/json' };
  }

  static async open(server: WindlassServer, project: Project): Promise<WindlassClient> {
    return new WindlassClient(server, await HttpConnection.open(server.host, server.port), project.secretKey);
  }

  /**
   * Rows with the cells of `columns` (none: of all), and milliseconds from the request's first byte to the parsed answer.
   * `stages`: the same by stage, as the service tells it.
   */
  async ask(q: string, columns: readonly string[]): Promise<{ ms: number; rows: Row[]; stages: string }> {
    const request = postRequest(
      '/query',
      this.#headers,
      Buffer.from(JSON.stringify({ q, format: 'json', limit: LIMIT })),
    );
    await this.#refresh();
    const begun = performance.now();
    const answer = await this.#connection.send(request);
    const text = answer.body.toString('utf8');
    if (answer.status !== 200) throw refusal(answer.status, text);
    const objects: Record<string, Cell>[] = JSON.parse(text);
    const ms = performance.now() - begun;
    const cells = (object: Record<string, Cell>): Row => columns.length === 0 ? Object.values(object) : columns.map((column) => object[column] ?? null); // prettier-ignore
    return { ms, rows: objects.map(cells), stages: /\r\nserver-timing: *(.*)/i.exec(answer.head)?.[1] ?? '' };
  }

  /** Stores one event outside the range of all queries, which makes any cached answers outdated. */
  async touch(): Promise<void> {
    await this.#refresh();
    const event = { event_type: 'bench_touch', time: '2020-01-01T00:00:00Z' };
    const answer = await this.#connection.send(
      postRequest('/track', this.#headers, Buffer.from(JSON.stringify(event))),
    );
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.body.toString('utf8')}`);
  }

  close(): void {
    this.#connection.close();
  }

  async #refresh(): Promise<void> {
    if (this.#connection.idle < FRESH) return;
    this.#connection.close();
    this.#connection = await HttpConnection.open(this.#server.host, this.#server.port);
  }
}

function refusal(status: number, text: string): Error {
  const { error, code }: { error: string; code?: string } = JSON.parse(text);
  const isLarge = code === 'query_too_large' || /has more than \d+ groups/.test(error);
  return code === 'not_available' || isLarge ? new NotAvailable(error) : new Error(`${status} ${error}`);
}
