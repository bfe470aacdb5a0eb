/** Bounds the time of a query: by its deadline, and by its client leaving. */
import { monotonic } from '../../base/monotonic.ts';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../base/errors.ts';

/** Created when a query arrives; `end` when it is answered. */
export class Deadline {
  /** On the clock of `monotonic()`. */
  readonly at: number;
  readonly #timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #leave: () => void;

  /** `arrival`: on the clock of `monotonic()`. `response`: of the client that waits; null: none does. */
  constructor(arrival: number, timeoutMs: number, response: ServerResponse | null) {
    this.at = arrival + timeoutMs;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#controller.abort(this.timeout()), Math.max(0, this.at - monotonic()));
    this.#leave = response === null ? () => undefined : this.#follow(response);
  }

  /** Ends with the client; returns what stops that. */
  #follow(response: ServerResponse): () => void {
    // V8 puts a function that is assigned to a property as it is written among old objects, which then keep the query alive
    const left = (): void => this.#controller.abort(new AppError('bad_request', 'The client disconnected.'));
    response.once('close', left);
    const socket: Socket = response.req.socket;
    socket.once('end', left); // it may still read, but clients that stop close their side first, too
    if (socket.readableEnded) process.nextTick(left); // while the requests before this one were answered
    return () => {
      response.removeListener('close', left);
      socket.removeListener('end', left);
    };
  }

  /** Aborted when the time is up or the client has left; its reason is an AppError. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The error for a query that takes too long. */
  timeout(): AppError {
    return new AppError('query_timeout', `The query did not finish within ${this.#timeoutMs / 1_000} s.`, {
      hints: ['Ask for a shorter range, such as `last 7d`.', 'Filter with `where`, or group by fewer values.'],
    });
  }

  /** `work`, or a rejection as soon as the signal is aborted, whether or not the work stops. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- it is one: see `signal`
      const abort = (): void => reject(this.signal.reason);
      if (this.signal.aborted) abort();
      else this.signal.addEventListener('abort', abort, { once: true });
      work.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', abort));
    });
  }

  /** Ends the work before its time, with this error. */
  cancel(error: AppError): void {
    this.#controller.abort(error);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#leave();
  }
}
