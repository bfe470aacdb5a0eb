/** Whether the service accepts requests, and how many it is answering. */
export class Lifecycle {
  #draining = false;
  #running = 0;
  #whenIdle: (() => void) | null = null;
  /** End what goes on for as long as its client likes. */
  readonly #endings = new Set<() => void>();
  #whenEnded: (() => void) | null = null;

  /** True once the service is shutting down: running requests finish, new ones are refused. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Requests being answered. */
  get running(): number {
    return this.#running;
  }

  enter(): void {
    this.#running++;
  }

  leave(): void {
    this.#running--;
    if (this.#running === 0) this.#whenIdle?.();
  }

  /** Accepts no more requests; resolves when none is running, or after `timeoutMs`: true when all finished. */
  drain(timeoutMs: number): Promise<boolean> {
    this.#draining = true;
    if (this.#running === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs);
      this.#whenIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** Calls `end` when a shutdown has waited for long enough. What it returns is to be called once the request is answered. */
  onCut(end: () => void): () => void {
    this.#endings.add(end);
    return () => {
      this.#endings.delete(end);
      if (this.#endings.size === 0) this.#whenEnded?.();
    };
  }

  /** Ends what asked for it with `onCut`; resolves when all of that is answered, or after `timeoutMs`: how many were ended. */
  cut(timeoutMs: number): Promise<number> {
    const endings = [...this.#endings];
    if (endings.length === 0) return Promise.resolve(0);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(endings.length), timeoutMs);
      this.#whenEnded = () => {
        clearTimeout(timer);
        resolve(endings.length);
      };
      for (const end of endings) end();
    });
  }
}
