import type { Command } from './windlass.ts';

/** The calls that wait for the script; undefined if it is there. An element with the id `wl` is not `wl`. */
export function earlierCalls(): Command[] | undefined {
  const { wl = [] } = window;
  if (Array.isArray(wl)) return wl;
  return wl instanceof Element ? [] : undefined;
}
