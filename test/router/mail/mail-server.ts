/** A mail server for tests, as far as RFC 5321 goes for one client: it keeps what it takes. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { quotedPrintable } from './quoted-printable.ts';

export interface Received {
  readonly to: string;
  readonly subject: string;
  /** The plain part. */
  readonly text: string;
  /** The whole of it, as it was sent. */
  readonly raw: string;
}

export class MailServer {
  readonly received: Received[] = [];
  /** What it answers to a letter; null: nothing, ever. */
  answer: string | null = '250 taken';
  /** Letters that it was asked to take. */
  asked = 0;
  readonly #server: Server = createServer((socket) => this.#talk(socket));
  readonly #sockets = new Set<Socket>();
  #waiting: (() => void)[] = [];

  /** Returns its URL. */
  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  /** The next letter. */
  async next(): Promise<Received> {
    while (this.received.length === 0) await new Promise<void>((done) => this.#waiting.push(done));
    return this.received.shift()!;
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setEncoding('latin1').on('error', () => socket.destroy()).on('close', () => this.#sockets.delete(socket)); // prettier-ignore
    let [input, to, inData] = ['', '', false];
    const say = (line: string): boolean => socket.write(`${line}\r\n`);
    say('220 test');
    socket.on('data', (chunk: string) => {
      input += chunk;
      for (let end = input.indexOf(inData ? '\r\n.\r\n' : '\r\n'); end >= 0; end = input.indexOf(inData ? '\r\n.\r\n' : '\r\n')) {
        const part = input.slice(0, end);
        input = input.slice(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          this.#take(to, part);
          if (this.answer !== null) say(this.answer);
        } else if (/^DATA/i.test(part)) {
          inData = true;
          say('354 go on');
        } else {
          to = /^RCPT TO:<([^>]*)>/i.exec(part)?.[1] ?? to;
          say(/^QUIT/i.test(part) ? '221 bye' : '250 fine');
        }
      }
    });
  } // prettier-ignore

  #take(to: string, raw: string): void {
    this.asked++;
    if (!this.answer?.startsWith('2')) return;
    const subject = quotedPrintable(/^Subject: ((?:.|\r\n )*)/im.exec(raw)?.[1] ?? '');
    const [, plain = ''] = /Content-Type: text\/plain[^]*?\r\n\r\n([^]*?)\r\n----/i.exec(raw) ?? [];
    this.received.push({ to, subject, text: quotedPrintable(plain), raw });
    for (const done of this.#waiting.splice(0)) done();
  }
}
