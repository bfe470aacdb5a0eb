// Checks that every package of the lock files, also the tools, may be used under the MIT licence of this one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from './root.mjs';

const LOCK_FILES = ['package-lock.json', 'bench/package-lock.json'];

/** Licences that only require attribution, by their SPDX identifiers. */
const ALLOWED = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PSF-2.0', 'Python-2.0', 'Unlicense', 'Zlib'],
]);

/** Also allowed for test tools that are never shipped: it only covers the source of their own files. */
const ALLOWED_FOR_TOOLS = new Set(['MPL-2.0']);

/** Test tools whose licence, read here, is the text of MIT's in a file of their own, without its identifier. */
export const READ_BY_HAND = new Set([
  ...['@segment/facade@3.4.10', '@segment/isodate@1.0.3', '@segment/isodate-traverse@1.1.1', 'new-date@1.0.3'],
]);

/**
 * Whether an SPDX expression offers a choice that is allowed: `(MIT OR GPL-3.0-only)` does, `MIT AND GPL-3.0-only` does not.
 * False for anything that is not such an expression, such as a package's own licence file.
 */
export function isAllowed(expression) {
  const tokens = String(expression).match(/[()]|[^\s()]+/g) ?? [];
  let broken = false;
  const takes = (token) => tokens[0] === token && tokens.shift() !== undefined;
  const either = () => {
    let allowed = both();
    while (takes('OR')) allowed = both() || allowed; // both() first: it consumes its tokens
    return allowed;
  };
  const both = () => {
    let allowed = one();
    while (takes('AND')) allowed = one() && allowed;
    return allowed;
  };
  const one = () => {
    if (tokens.length === 0) broken = true;
    if (!takes('(')) return ALLOWED.has(tokens.shift());
    const allowed = either();
    return takes(')') && allowed;
  };
  const allowed = either();
  return allowed && !broken && tokens.length === 0;
}

/** `package@version: licence` of every package whose licence is missing or not allowed. */
export function refused(packages) {
  return Object.entries(packages).flatMap(([path, { version, link, license, dev }]) => {
    const name = `${path.replace(/^.*node_modules\//, '')}@${version}`;
    const isTool = dev && (ALLOWED_FOR_TOOLS.has(license) || READ_BY_HAND.has(name));
    return path === '' || link || isAllowed(license) || isTool ? [] : [`${name}: ${license ?? 'no licence'}`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const file of LOCK_FILES) {
    for (const line of refused(JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages)) {
      process.stderr.write(`${file}: ${line}\n`);
      process.exitCode = 1;
    }
  }
}
