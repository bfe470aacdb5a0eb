/** How eagerly the JavaScript engine compiles what it runs. */
import { setFlagsFromString } from 'node:v8';
import { compileQuery } from '../dsl/compile.ts';

/**
 * The engine's own settings expect code that runs for long. A query is a few milliseconds, and after a start each kernel's
 * loops begin in the interpreter: so functions get simple machine code when they are first called, and optimised code after a
 * quarter of the usual work. Measured on 10 M events: first questions after a start take up to half the time, and the seventh
 * of each is 10 to 30 % faster. A budget of a third of that is slower again: code is optimised before enough is known of it.
 *
 * What every query needs first, the compiler of queries, is run some times: for a start of 50 ms more, each of the first
 * hundreds of queries takes some tenths of a millisecond less.
 *
 * For the whole process; call it before threads start. Flags that an engine does not know have no effect.
 */
export function compileEarly(): void {
  for (const flag of ['--always-sparkplug', '--interrupt-budget=30000']) setFlagsFromString(flag);
  const options = { now: Date.now(), timezone: { project: 'UTC' }, limit: 1, offset: 0 };
  for (let round = 0; round < ROUNDS; round++) for (const text of TYPICAL) compileQuery(text, options);
}

const ROUNDS = 20;
const TYPICAL = [
  '* | where event_properties.a = "b" | last 30d | count, unique, p95 event_properties.c by day, _platform | top 10',
  'funnel a -> b | last 30d | by user.c',
  'retention a | last 12w',
];
