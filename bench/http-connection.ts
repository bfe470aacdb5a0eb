/**
 * One keep-alive HTTP/1.1 connection over a bare socket: only sends a prebuilt request and finds the end of the answer. A client
 * that shares the machine with the server must cost as little as possible.
 */
import { connect, type Socket } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');

export class HttpConnection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #length = 0;
  /** Bytes of the answer that is arriving, once its head says so: joining all pieces at each would take most of the time. */
  #expected = 0;
  #waiting: { resolve: (answer: HttpAnswer) => void; reject: (error: Error) => void } | undefined;
  #lastUse = performance.now();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  static open(host: string, port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => {
        socket.off('error', reject);
        resolve(new HttpConnection(socket));
      });
      socket.once('error', reject);
    });
  }

  /** Milliseconds since the last answer: servers close connections that are idle for long. */
  get idle(): number {
    return performance.now() - this.#lastUse;
  }

  /** Sends a complete request (head and body) and resolves with its answer. One at a time. */
  send(request: Uint8Array): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed || this.#socket.readableEnded) throw new Error('the server has closed the connection');
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#expected) return;
    const all = this.#received.length === 1 ? chunk : Buffer.concat(this.#received, this.#length);
    this.#received = [all];
    const answer = wholeAnswer(all);
    if (typeof answer === 'number') this.#expected = answer;
    if (typeof answer === 'number' || !this.#waiting) return;
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    this.#received = [];
    this.#length = 0;
    this.#expected = 0;
    this.#lastUse = performance.now();
    resolve(answer);
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** A POST with a body. */
export function postRequest(path: string, headers: Readonly<Record<string, string>>, body: Uint8Array): Buffer {
  return Buffer.concat([postHead(path, headers, body.length), body]);
}

export function postHead(path: string, headers: Readonly<Record<string, string>>, length: number): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${lines.join('')}Content-Length: ${length}\r\n\r\n`,
    'latin1',
  );
}

/** While bytes are missing: how many there are at least. */
function wholeAnswer(bytes: Buffer): HttpAnswer | number {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return bytes.length + 1;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const bodyStart = headEnd + HEAD_END.length;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) {
    const end = bodyStart + Number(length);
    return bytes.length < end ? end : { status, head, body: bytes.subarray(bodyStart, end) };
  }
  const body = chunkedBody(bytes, bodyStart);
  return body === undefined ? bytes.length + 1 : { status, head, body };
}

/** The body of `Transfer-Encoding: chunked`; undefined while bytes are missing. */
function chunkedBody(bytes: Buffer, from: number): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2;
    if (bytes.length < at + size + 2) return undefined;
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(at, at + size));
    at += size + 2;
  }
}
