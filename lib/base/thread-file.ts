/** Finds the programs of threads. */
import { existsSync } from 'node:fs';

/** The module that starts a thread: one of lib/, or a bundle itself. */
const STARTER = /^(.*)\/(?:lib(?:\/.+)?|bundle)\/([\w-]+)\.js$/;

/**
 * The bundle of a thread's program, which loads in half the time of its modules; if there is none, as in a test that changes
 * modules, the program itself.
 */
export function threadFile(module: URL): URL {
  const bundle = new URL(module.href.replace(STARTER, '$1/bundle/$2.cjs'));
  return existsSync(bundle) ? bundle : module;
}
