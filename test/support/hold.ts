/** Holds requests in a store in memory, so that a test knows how many are there. */
import type { MemoryStore } from './memory-store.ts';

export interface Hold {
  /** Resolves when so many requests in all have come this far. */
  reached(this: void, count: number): Promise<void>;
  release(this: void): void;
}

export function holdRequests(store: MemoryStore): Hold {
  let come = 0;
  let waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const tell = (): void => {
    for (const { resolve } of waiting.filter(({ count }) => count <= come)) resolve();
    waiting = waiting.filter(({ count }) => count > come);
  };
  store.gate = () => {
    come++;
    tell();
    return released;
  };
  return {
    reached: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        tell();
      }),
    release: () => release(),
  };
}
