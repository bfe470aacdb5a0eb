// Finds circular imports in lib/, also of types, which lint does not see: between files, and between rooms, the folders within a
// layer (`lib/shards/journal`). Files beside rooms tie a layer together and belong to none. Part of npm run check.
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

/** Room → rooms it imports, each with one such import. */
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

/** A path that ends where it began; null if there is none. */
function circleOf(graph) {
  const free = new Set(); // nodes that lead to no circle
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

/** Imports from one room into another, as text. */
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
