/**
 * Kept connections for many requests of one command. With node:http a request of `wl track --stdin` takes three times the
 * processor time (bench/micro/wires.ts), more than reading and checking its lines.
 */
import { connect, isIP, type Socket } from 'node:net';
import { AnswerReader, ProtocolError } from './answer-reader.ts';
import {
  abortReason,
  timeoutError,
  unreadable,
  type Answer,
  type Limits,
  type Outgoing,
  transportError,
} from './attempt.ts';

interface WireRequest extends Omit<Outgoing, 'body'> {
  readonly body: Uint8Array;
}

export class Wires {
  readonly #idle: Wire[] = [];

  /** Sends a request and reads the answer, whatever its status. Rejects with TransportError, or the signal's reason. */
  async exchange(request: WireRequest, limits: Limits): Promise<Answer> {
    let wire = this.#idle.pop();
    while (wire?.isOpen === false) wire = this.#idle.pop();
    wire ??= new Wire(await socketTo(request.url));
    const answer = await wire.exchange(request, limits);
    if (wire.isOpen) this.#idle.push(wire);
    return answer;
  }
}

interface Pending {
  readonly reader: AnswerReader;
  readonly done: (result: Answer | Error) => void;
}

/** A connection, for a request at a time. */
class Wire {
  readonly #socket: Socket;
  #pending: Pending | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket
      .on('data', (bytes: Buffer) => this.#read((reader) => reader.push(bytes)))
      .on('end', () => this.#read((reader) => reader.end()))
      .on('error', (error) => this.#pending?.done(error)) // without a request, the next sees that it is closed
      .on('close', () => this.#pending?.done(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  async exchange({ body, onSent, ...head }: WireRequest, { timeout, signal }: Limits): Promise<Answer> {
    const socket = this.#socket.ref();
    const cut = (): void => this.#pending?.done(abortReason(signal));
    let timer: NodeJS.Timeout | undefined;
    const reader = new AnswerReader();
    const result = await new Promise<Answer | Error>((done) => {
      this.#pending = { reader, done };
      timer = setTimeout(() => done(timeoutError(head.url, timeout)), timeout);
      signal?.addEventListener('abort', cut, { once: true });
      if (signal?.aborted === true) return cut();
      socket.cork();
      socket.write(headText(head), 'latin1');
      socket.write(body, () => onSent?.());
      socket.uncork();
    });
    this.#pending = null;
    clearTimeout(timer);
    signal?.removeEventListener('abort', cut);
    if (!reader.isReusable || socket.writableLength > 0) socket.destroy();
    else socket.unref();
    if (!(result instanceof Error)) return result;
    if (result instanceof ProtocolError) throw unreadable(head.url, result.message);
    throw signal?.aborted === true ? result : transportError(result, head.url);
  }

  #read(read: (reader: AnswerReader) => Answer | null): void {
    if (this.#pending === null) return void this.#socket.destroy(); // it speaks without being asked, or has ended
    try {
      const answer = read(this.#pending.reader);
      if (answer !== null) this.#pending.done(answer);
    } catch (error) {
      this.#pending.done(error instanceof Error ? error : new Error('a reader failed', { cause: error }));
    }
  }
}

/** Names and values were checked where they came from: an address, a key, a number. None has a line end. */
function headText({ method, url, headers }: Pick<Outgoing, 'method' | 'url' | 'headers'>): string {
  let text = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  for (const [name, value] of Object.entries(headers)) text += `${name}: ${String(value)}\r\n`;
  return `${text}\r\n`;
}

async function socketTo({ protocol, hostname, port }: URL): Promise<Socket> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (protocol === 'http:') return connect({ host, port: Number(port || 80) });
  const { connect: secure } = await import('node:tls');
  return secure({ host, port: Number(port || 443), ...(isIP(host) === 0 && { servername: host }) });
}
