/** Whether the service accepts requests, and how many it is answering. */
export class Lifecycle {
  #draining = false;
  #running = 0;
  #whenIdle: (() => void) | null = null;

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
}
