/** Sends queries over one kept connection, timed end to end. */
import { HttpConnection, postRequest } from '../http-connection.ts';

export class Asker {
  readonly #connection: HttpConnection;

  private constructor(connection: HttpConnection) {
    this.#connection = connection;
  }

  static async open(port: number): Promise<Asker> {
    return new Asker(await HttpConnection.open('127.0.0.1', port));
  }

  /** Milliseconds of a query. Throws if it is not answered. @param limit Rows of the page. */
  query(key: string, q: string, limit = 100): Promise<number> {
    return this.#post('/query', key, { q, format: 'json', limit });
  }

  track(key: string, event: object): Promise<number> {
    return this.#post('/track', key, event);
  }

  close(): void {
    this.#connection.close();
  }

  async #post(path: string, key: string, value: object): Promise<number> {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
    const request = postRequest(path, headers, Buffer.from(JSON.stringify(value)));
    const begun = performance.now();
    const { status, body } = await this.#connection.send(request);
    const ms = performance.now() - begun;
    if (status !== 200) throw new Error(`${status} ${body.toString('utf8')} to ${JSON.stringify(value)}`);
    return ms;
  }
}
