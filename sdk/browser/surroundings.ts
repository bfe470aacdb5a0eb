/** What the parts of the script share with `wl` around them. */
import type { Before } from './windlass.ts';

export interface Surroundings {
  /** Name and version of the script, for events. */
  readonly maker: string;
  readonly log: (...words: unknown[]) => void;
  /** Tells whoever wrote the page what is not sent as it was given; each kind of it once. */
  readonly tell: (what: string, about: unknown) => void;
  /** Wraps a function so that it never throws. */
  readonly safe: <A extends unknown[], T>(act: (...args: A) => T) => (...args: A) => T | undefined;
  readonly hook: () => Before | undefined;
}
