/** A bench program in its own process: one request at a time, each with one reply, over Node's channel. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export class Child<Request extends object, Answer extends object> {
  readonly #name: string;
  readonly #process: ChildProcess;
  /** Resolves with why there is no process any more. */
  readonly #ended: Promise<Error>;

  constructor(name: string, module: URL) {
    this.#name = name;
    this.#process = fork(fileURLToPath(module));
    this.#ended = new Promise((resolve) => {
      this.#process.once('exit', (code) => {
        resolve(new Error(`${name}: its process ended (${code ?? 'by a signal'})`));
      });
      this.#process.on('error', (error) => {
        if (this.#process.pid === undefined) resolve(new Error(`${name}: ${error.message}`)); // else it ends, and that is told
      });
    });
  }

  /** Rejects with the program's error, or when its process has ended or ends. */
  async request(request: Request): Promise<Answer> {
    const told = Promise.withResolvers<Reply<Answer>>();
    this.#process.once('message', told.resolve);
    try {
      if (this.#process.connected) this.#process.send(request);
      const reply = await Promise.race([told.promise, this.#ended]);
      if (reply instanceof Error) throw reply;
      if (!reply.ok) throw new Error(`${this.#name}: ${reply.error}`);
      return reply.value;
    } finally {
      this.#process.off('message', told.resolve);
    }
  }

  /** Ends the process and waits for it. */
  async close(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#ended;
  }
}

/** The program's side: answers every request with `answer`; calls `ended` when the parent disconnects. */
export function serveParent<Request, Answer extends object>(
  answer: (request: Request) => Promise<Answer>,
  ended: () => void,
): void {
  const reply = (message: Reply<Answer>): void => {
    if (process.connected) process.send?.(message); // else the parent has gone, and nobody waits
  };
  process.on('message', (request: Request) => {
    answer(request).then(
      (value) => reply({ ok: true, value }),
      (error: unknown) => reply({ ok: false, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  process.on('disconnect', () => {
    ended();
    process.exit(0);
  });
}
