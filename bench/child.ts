/** A bench program in its own process: one request at a time, each with one reply, over Node's channel. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: string };

export class Child<Request extends object, Answer extends object> {
  readonly #name: string;
  readonly #process: ChildProcess;

  constructor(name: string, module: URL) {
    this.#name = name;
    this.#process = fork(fileURLToPath(module));
  }

  /** Rejects with the program's error, or when its process ends. */
  request(request: Request): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const onMessage = (reply: Reply<Answer>): void => {
        this.#process.off('exit', onExit);
        if (reply.ok) resolve(reply.value);
        else reject(new Error(`${this.#name}: ${reply.error}`));
      };
      const onExit = (code: number | null): void => {
        this.#process.off('message', onMessage);
        reject(new Error(`${this.#name}: its process ended (${code ?? 'by a signal'})`));
      };
      this.#process.once('message', onMessage);
      this.#process.once('exit', onExit);
      this.#process.send(request);
    });
  }

  /** Ends the process and waits for it. */
  close(): Promise<void> {
    return new Promise((done) => {
      this.#process.once('exit', () => done());
      this.#process.disconnect();
    });
  }
}

/** The program's side: answers every request with `answer`; calls `ended` when the parent disconnects. */
export function serveParent<Request, Answer extends object>(
  answer: (request: Request) => Promise<Answer>,
  ended: () => void,
): void {
  const reply = (message: Reply<Answer>): void => {
    process.send?.(message);
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
