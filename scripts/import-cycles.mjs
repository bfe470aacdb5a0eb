// No circle of imports in lib/, of types either: lint sees only those of values. Part of npm run check.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from './root.mjs';

process.chdir(ROOT);
const files = globSync('lib/**/*.ts', { exclude: ['lib/primitives/wasm/**'] }).map((file) =>
  file.replaceAll('\\', '/'),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file) {
  const { module } = parseSync(file, readFileSync(file, 'utf8'));
  const exported = module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? []));
  const requests = [...module.staticImports.map(({ moduleRequest }) => moduleRequest), ...exported];
  const relative = requests.map(({ value }) => value).filter((path) => path.startsWith('.'));
  return new Set(relative.map((path) => posix.join(posix.dirname(file), path)));
}

/** What no circle has: files whose imports are all free of circles, again and again. The rest are circles and what leads to them. */
function freeOfCircles() {
  const free = new Set();
  for (let before = -1; before < free.size;) {
    before = free.size;
    for (const [file, used] of imports)
      if ([...used].every((one) => free.has(one) || !imports.has(one))) free.add(file);
  }
  return free;
}

const free = freeOfCircles();
const first = files.find((file) => !free.has(file));
if (first !== undefined) {
  const way = [first];
  while (way.indexOf(way.at(-1)) === way.length - 1)
    way.push([...imports.get(way.at(-1))].find((file) => !free.has(file)));
  process.stderr.write(`a circle of imports:\n  ${way.slice(way.indexOf(way.at(-1))).join('\n  ')}\n`);
  process.exitCode = 1;
}
