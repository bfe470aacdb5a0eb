/** `wl import`: files of other products, with their history. */
import { createHash } from 'node:crypto';
import { zoneName } from '../../base/zone-name.ts';
import { type ClientSession, clientCommand } from '../client/client-command.ts';
import { ClientError } from '../client/client-error.ts';
import {
  type ArgumentsOf,
  type Command,
  defineGroup,
  flag,
  optional,
  type OptionTable,
  UsageError,
} from '../command.ts';
import { MapUse } from '../track/field-map.ts';
import { digestOf, type GivenFile, withFiles } from './files.ts';
import type { ImportFormat } from './format.ts';
import { IMPORT_FORMATS } from './formats/formats.ts';
import { mappedFormat } from './map/mapped-format.ts';
import { readMap, type RecordMap } from './map/read-map.ts';
import { Preview } from './preview.ts';
import { detect, ImportReading, type Detected } from './reading.ts';
import { runImport } from './run-import.ts';
import { undoImport } from './undo.ts';
import { WallClock } from './wall-clock.ts';

const OPTIONS = {
  files: { type: 'string', array: true, demandOption: true, describe: 'A format, which else is found from the first record, then files and folders, zip and gzip too; - for stdin' },
  map: optional('What the fields of any CSV or lines of JSON are called, a file in YAML; see docs/import.md'),
  id: optional('Id of the import [default: of the content of the files and the map]'),
  timezone: optional('Zone of times without an offset, such as Europe/Berlin [default: UTC]'),
  'dry-run': flag('Show ten events as they would be sent, what is filled and what is lost, without sending any'),
  'skip-bad': flag('Exit with 0 even if records were not imported'),
} as const satisfies OptionTable; // prettier-ignore

type Arguments = ArgumentsOf<typeof OPTIONS>;

const importCommand = clientCommand({
  usage: 'import <files..>',
  summary: 'Import files of other products, or any CSV and lines of JSON',
  examples: [
    ['wl import export.zip --dry-run', 'finds the format, and shows what would become of it'],
    ['wl import mixpanel events.ndjson.gz profiles.ndjson', 'events and profiles; a second run stores nothing twice'],
    ['wl import csv orders.csv --map orders.yaml --timezone Europe/Berlin', 'any CSV, with a map'],
    ['curl -s https://example.com/export | wl import segment -', 'stdin'],
    ['wl import undo mixpanel-b8f7e3c231472f59', 'deletes all that an import brought; so does wl events undo'],
  ],
  options: OPTIONS,
  completes: { files: 'file', map: 'file' },
  run: (args, session) => {
    const named = IMPORT_FORMATS.find(({ name }) => name === args.files[0]) ?? null;
    const paths = named === null ? args.files : args.files.slice(1);
    if (paths.length === 0) throw new UsageError(`\`wl import ${args.files[0]}\` needs a file, or - for stdin`);
    return withFiles(paths, session.signal, (files) => importFiles(args, { files, named }, session));
  },
});

/** `wl import`, for a command line of these words: `undo` in the place of a format has words of its own. */
export function importFor(words: readonly string[]): Command {
  if (words[words.indexOf('import') + 1] !== 'undo') return importCommand;
  return defineGroup({ name: 'import', summary: importCommand.summary, commands: [undoImport] });
}

async function importFiles(
  args: Arguments,
  { files, named }: { readonly files: readonly GivenFile[]; readonly named: ImportFormat | null },
  session: ClientSession,
): Promise<number> {
  const { signal, terminal } = session;
  const zone = zoneOf(args.timezone);
  const map = args.map === undefined ? null : await readMap(args.map);
  const found = await detect(files, signal);
  const format = formatFor(found, named, map);
  const say = (text: string): void => terminal.say(`wl: ${text}`);
  if (named === null) say(`${found.name} is ${format.title}`);
  const digests: string[] = [];
  for (const file of files) digests.push(await digestOf(file, signal));
  const id = args.id === undefined ? idOf(format, [map?.text ?? '', args.timezone ?? ''], digests) : checkedId(args.id);
  const use = map === null ? null : new MapUse(map.fields);
  const reading = new ImportReading({ files, format, zone, use, signal, say });
  const isWhole = args['dry-run']
    ? await preview(reading, id, session)
    : await runImport(reading, { id, digests, files, format, use }, session);
  const unused = use?.problem(false) ?? null;
  if (unused !== null) throw new ClientError(unused);
  return isWhole || args['skip-bad'] ? 0 : 1;
}

/** Whether all records can be read. */
async function preview(reading: ImportReading, id: string, session: ClientSession): Promise<boolean> {
  const shown = new Preview();
  for await (const list of reading.all()) for (const taken of list) shown.add(taken);
  await shown.print(session, reading, id);
  for (const told of reading.report.told()) session.terminal.say(`wl: ${told}`);
  return reading.bad === 0;
}

/** Throws ClientError for a file that is of none, or of another than the one that was named. */
function formatFor(found: Detected, named: ImportFormat | null, map: RecordMap | null): ImportFormat {
  const { kind, format, record, name } = found;
  const plain = kind === 'csv' ? 'csv' : 'ndjson';
  if (map !== null) {
    if (named !== null && named.name !== plain)
      throw new UsageError(
        named.name === 'csv' || named.name === 'ndjson'
          ? `${name} is ${plain}, not ${named.name}`
          : `a map is for csv and ndjson, not for ${named.name}`,
      );
    return mappedFormat(map, plain);
  }
  if (named !== null && named.reads.includes(kind) && named.recognizes(record)) return named;
  const fields = Object.keys(record).slice(0, 12).join(', ');
  const without = `Its first record has ${fields || 'no fields'}. Say what they are with a --map FILE: see docs/import.md.`;
  if (named !== null) {
    const next = format === null ? without : `It looks like ${format.title}: wl import ${format.name} …`;
    throw new ClientError(`${name} is not ${named.title}.`, [next]);
  }
  if (format !== null) return format;
  throw new ClientError(`${name} is of no format that is known: ${IMPORT_FORMATS.map((one) => one.name).join(', ')}.`, [
    without,
  ]);
}

function zoneOf(name: string | undefined): WallClock | null {
  if (name === undefined) return null;
  if (zoneName(name) === null)
    throw new UsageError(`--timezone: there is no zone "${name}"; it takes such as Europe/Berlin`);
  return new WallClock(name);
}

/** The same for the same files, whatever they are called and in which order they come. */
function idOf({ name }: ImportFormat, more: readonly string[], digests: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify([name, ...more, ...[...digests].sort()]));
  return `${name}-${hash.digest('hex').slice(0, 16)}`;
}

function checkedId(id: string): string {
  if (/^[\w.:-]{1,64}$/.test(id)) return id;
  throw new UsageError('--id takes at most 64 letters, digits and any of . : _ -');
}
