// Finds circular imports in lib/, also of types, which lint does not see: between files, and between rooms, the folders within a
// layer (`lib/shards/journal`). Files beside rooms tie a layer together and belong to none. And holds lib/ and cluster/ apart: one
// imports the other by lib/cluster.ts alone, and is imported by lib/seam.ts alone. Part of npm run check.
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { ROOT } from './root.mjs';

process.chdir(ROOT);
const sourcesOf = (folder) =>
  globSync(`${folder}/**/*.ts`, { exclude: ['lib/primitives/wasm/**'] }).map((file) => file.replaceAll('\\', '/'));
const imports = new Map(sourcesOf('lib').map((file) => [file, importsOf(file)]));

/** @param late Whether to add what it imports while it runs. */
function importsOf(file, late = false) {
  const text = readFileSync(file, 'utf8');
  const { module } = parseSync(file, text);
  const exported = module.staticExports.flatMap(({ entries }) => entries.flatMap((entry) => entry.moduleRequest ?? []));
  const requests = [...module.staticImports.map(({ moduleRequest }) => moduleRequest), ...exported];
  const named = late
    ? module.dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1))
    : [];
  const relative = [...requests.map(({ value }) => value), ...named].filter((path) => path.startsWith('.'));
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

/** Imports from one folder into another, but for the one that is allowed. */
function importsInto(from, to, allowed) {
  const all = sourcesOf(from).flatMap((file) => [...importsOf(file, true)].map((used) => [file, used]));
  return all.filter((pair) => pair[1].startsWith(`${to}/`) && !pair.includes(allowed)).map((pair) => pair.join(' → '));
}
const intoCluster = importsInto('lib', 'cluster', 'lib/cluster.ts');
if (intoCluster.length > 0) tell('only lib/cluster.ts imports cluster/', intoCluster);
const intoLib = importsInto('cluster/lib', 'lib', 'lib/seam.ts');
if (intoLib.length > 0) tell('cluster/ imports lib/seam.ts, and nothing else of lib/', intoLib);

function tell(what, lines) {
  process.stderr.write(`${what}:\n  ${lines.join('\n  ')}\n`);
  process.exitCode = 1;
}
