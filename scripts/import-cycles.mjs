// Imports of lib/ that go in a circle, of types either, which lint does not see: of files, and of rooms, the folders within a
// layer (`lib/shards/journal`). Files beside rooms hold a layer together and are of none. Part of npm run check.
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

const roomOf = (file) => /^lib\/[^/]+\/[^/]+(?=\/)/.exec(file)?.[0];

/** Room → rooms, each with an import that leads there. */
function roomsOf() {
  const rooms = new Map();
  for (const [file, used] of imports) {
    const room = roomOf(file);
    for (const other of [...used].map(roomOf)) {
      if (room !== undefined && other !== undefined && other !== room)
        rooms.set(room, (rooms.get(room) ?? new Set()).add(other));
    }
  }
  return rooms;
}

/** A way that ends where it began; null: there is none. */
function circleOf(graph) {
  const free = new Set(); // what leads to no circle
  for (let before = -1; before < free.size;) {
    before = free.size;
    for (const [from, to] of graph) if ([...to].every((one) => free.has(one) || !graph.has(one))) free.add(from);
  }
  const first = [...graph.keys()].find((one) => !free.has(one));
  if (first === undefined) return null;
  const way = [first];
  while (way.indexOf(way.at(-1)) === way.length - 1) {
    way.push([...graph.get(way.at(-1))].find((one) => graph.has(one) && !free.has(one)));
  }
  return way.slice(way.indexOf(way.at(-1)));
}

/** Imports from one room into another, for people. */
function importsBetween(from, to) {
  return [...imports].flatMap(([file, used]) =>
    roomOf(file) === from ? [...used].filter((one) => roomOf(one) === to).map((one) => `${file} → ${one}`) : [],
  );
}

const circle = circleOf(imports);
if (circle !== null) tell('a circle of imports', circle);
const ofRooms = circleOf(roomsOf());
if (ofRooms !== null) {
  tell(
    'a circle of rooms',
    ofRooms.slice(1).flatMap((room, at) => importsBetween(ofRooms[at], room)),
  );
}

function tell(what, lines) {
  process.stderr.write(`${what}:\n  ${lines.join('\n  ')}\n`);
  process.exitCode = 1;
}
