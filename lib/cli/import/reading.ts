/** Files → what their records become, with whatever is wrong with them told by line. */
import { DAY_MS } from '../../base/day.ts';
import { readTime } from '../../base/read-time.ts';
import { ClientError } from '../client/client-error.ts';
import { LineReport } from '../track/line-tally.ts';
import type { MapUse } from '../track/field-map.ts';
import { Bindings } from './bindings.ts';
import { partsOf } from './containers.ts';
import { utf8Of } from './encoding.ts';
import type { GivenFile } from './files.ts';
import { ImportError, type ImportFormat, type Mapped, type SourceRecord } from './format.ts';
import { IMPORT_FORMATS } from './formats/formats.ts';
import { Losses } from './losses.ts';
import { BrokenPart, type FilePart, type ReadRecord } from './part.ts';
import { LinesOfFiles } from './places.ts';
import { recordsOf, type Records } from './records.ts';
import { Summary } from './summary.ts';
import type { WallClock } from './wall-clock.ts';

/** What a record became. */
export interface Taken {
  /** Among those of all files. */
  readonly line: number;
  readonly events: Mapped['events'];
  readonly identifies: Mapped['identifies'];
}

export interface ReadingOptions {
  readonly files: readonly GivenFile[];
  readonly format: ImportFormat;
  /** Of times without an offset; null: UTC. */
  readonly zone: WallClock | null;
  /** Which paths of a map the records have. */
  readonly use: MapUse | null;
  readonly signal: AbortSignal;
  /** For the user. */
  readonly say: (text: string) => void;
}

/** Reads all files once, in order. */
export class ImportReading {
  readonly report: LineReport;
  readonly losses = new Losses();
  readonly summary = new Summary();
  /** Lines that are no records of the format, and files that are not read to their end. */
  bad = 0;
  /** Of the files as they are. */
  bytes = 0;
  readonly #options: ReadingOptions;
  readonly #places = new LinesOfFiles();
  readonly #bindings = new Bindings();

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.report = new LineReport((line) => this.#places.nameOf(line));
  }

  /** What the records become, a list for each chunk. Rejects with ClientError for a file that cannot be read at all. */
  async *all(): AsyncGenerator<readonly Taken[]> {
    const { files, signal } = this.#options;
    for (const file of files)
      for await (const part of partsOf(file, signal, (bytes) => (this.bytes += bytes))) yield* this.#part(part);
  }

  async *#part(part: FilePart): AsyncGenerator<readonly Taken[]> {
    const { format, say } = this.#options;
    this.#places.begin(part.name);
    try {
      const told = (encoding: string): void => say(`${part.name} is not UTF-8: it is read as ${encoding}`);
      const { kind, lists } = await recordsOf(utf8Of(part.chunks, told));
      let isKnown = false;
      for await (const list of lists) {
        const foreign = isKnown ? null : foreignIn(list, kind, format);
        if (foreign !== null) {
          this.#refuse(list[0]!.line, foreign);
          return;
        }
        isKnown ||= list.some((one) => 'record' in one);
        yield this.#taken(list);
      }
    } catch (error) {
      if (!(error instanceof BrokenPart)) throw error;
      this.#refuse(1, `${error.message}; the rest of it was not read`);
    }
  }

  #taken(list: readonly ReadRecord[]): readonly Taken[] {
    const taken: Taken[] = [];
    for (const one of list) {
      if ('problem' in one) this.#refuse(one.line, one.problem);
      else {
        const mapped = this.#map(one.line, one.record);
        if (mapped !== null) taken.push(mapped);
      }
    }
    return taken;
  }

  #map(line: number, record: SourceRecord): Taken | null {
    const { format, use } = this.#options;
    use?.note(record);
    try {
      const { events, identifies, lost } = format.map(record);
      const timed = events.map((event) => this.#timed(event));
      const changes = identifies.filter((identify) => this.#bindings.isNew(identify));
      for (const { event, time } of timed) this.summary.add(event, time);
      this.summary.profiles += changes.length;
      this.losses.add(lost);
      return {
        line: this.#places.number(line),
        events: timed.map(({ event }) => event),
        identifies: changes.map((identify) => this.#zoned(identify)),
      };
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.#refuse(line, error.message);
      return null;
    }
  }

  /** Throws ImportError for a time that the server would replace by the present, or of an event that has none. */
  #timed(given: SourceRecord): { readonly event: SourceRecord; readonly time: number } {
    const event = this.#zoned(given);
    const sent = event['time'];
    const time = readTime(sent);
    if (time === null)
      throw new ImportError(sent === undefined ? 'it has no time' : `its time cannot be read: ${JSON.stringify(sent)}`);
    if (time > Date.now() + DAY_MS) throw new ImportError(`its time lies over 24 hours ahead: ${JSON.stringify(sent)}`);
    return { event, time };
  }

  #zoned(given: SourceRecord): SourceRecord {
    const { zone } = this.#options;
    if (zone === null) return given;
    const time = zone.timeOf(given['time']);
    return time === given['time'] ? given : { ...given, time };
  }

  #refuse(line: number, why: string): void {
    this.bad++;
    this.report.bad(this.#places.number(line), why);
  }
}

/** Why a file is of another format, by its first record; null: it is of this one, or has no record yet. */
function foreignIn(list: readonly ReadRecord[], kind: Records['kind'], format: ImportFormat): string | null {
  const first = list.find((one) => 'record' in one);
  if (first === undefined || (format.reads.includes(kind) && format.recognizes(first.record))) return null;
  const other = formatOf(first.record, kind);
  const what = other === null ? `not ${format.title}` : `${other.title}, not ${format.title}`;
  return `the file looks like ${what}: import it by itself`;
}

const formatOf = (record: SourceRecord, kind: Records['kind']): ImportFormat | null =>
  IMPORT_FORMATS.find((format) => format.reads.includes(kind) && format.recognizes(record)) ?? null;

/** What the first record of the files is of. */
export interface Detected {
  readonly kind: Records['kind'];
  /** null: of no format that is known. */
  readonly format: ImportFormat | null;
  readonly record: SourceRecord;
  /** The file that it is in. */
  readonly name: string;
}

/** Looks at the beginning of the files. Throws ClientError if they have no record at all. */
export async function detect(files: readonly GivenFile[], signal: AbortSignal): Promise<Detected> {
  let problem: string | null = null;
  for (const file of files)
    for await (const part of partsOf(file, signal, () => undefined)) {
      const found = await firstOf(part);
      if (typeof found !== 'string') return found;
      if (found !== '') problem ??= `${part.name}: ${found}`;
    }
  throw new ClientError('There is no record in what was named.', problem === null ? [] : [problem]);
}

/** Of the first list that has anything; a text says why there is no record in it. */
async function firstOf({ name, chunks }: FilePart): Promise<Detected | string> {
  try {
    const { kind, lists } = await recordsOf(utf8Of(chunks, () => undefined));
    for await (const list of lists) {
      const record = list.find((one) => 'record' in one)?.record;
      if (record !== undefined) return { kind, format: formatOf(record, kind), record, name };
      const [bad] = list;
      if (bad !== undefined && 'problem' in bad) return `line ${bad.line}: ${bad.problem}`;
    }
    return '';
  } catch (error) {
    if (error instanceof BrokenPart) return error.message;
    throw error;
  }
}
