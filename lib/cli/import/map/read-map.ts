/** `--map FILE`: what the fields of records are called, in YAML. */
import { readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../../base/errors.ts';
import { isRecord } from '../../../base/is-record.ts';
import { type Problem, problemLine } from '../../../dashboards/problem.ts';
import { MAX_FILE_BYTES, YamlFile } from '../../../dashboards/yaml-file.ts';
import { ClientError } from '../../client/client-error.ts';
import { fieldProblem, type FieldMap } from '../../track/field-map.ts';
import { type ReadFormat, timeFormat } from './time-format.ts';

export type MappedType = 'text' | 'number' | 'boolean' | 'json';

export interface RecordMap {
  /** The file as it is: a part of what the import id is made of. */
  readonly text: string;
  /** Whether records are profiles of users, not events. */
  readonly isOfProfiles: boolean;
  /** Field of an event → path in a record. */
  readonly fields: FieldMap;
  readonly constants: ReadonlyMap<string, unknown>;
  /** Field of an event → text with paths in braces. */
  readonly templates: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, MappedType>;
  readonly time: ReadFormat | null;
  /** Whether what is not named becomes properties. */
  readonly keepsRest: boolean;
}

const KEYS = ['kind', 'fields', 'constants', 'templates', 'types', 'time_format', 'rest'];
const TYPES = ['text', 'number', 'boolean', 'json'] as const;

/** Throws ClientError that names every mistake with its place. */
export async function readMap(path: string): Promise<RecordMap> {
  const text = await readText(path);
  const file = YamlFile.read(text);
  if (!(file instanceof YamlFile)) throw mistaken(path, file);
  const map = new MapReader(file).read(text);
  if (file.problems.length > 0) throw mistaken(path, file.problems);
  return map;
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES.toLocaleString('en')} bytes`);
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw new ClientError(`Cannot read the map ${path}: ${messageOf(error)}`);
  }
}

function mistaken(path: string, problems: readonly Problem[]): ClientError {
  const inOrder = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const lines = inOrder.slice(0, 20).map((problem) => problemLine(path, problem));
  return new ClientError('The map has mistakes.', lines);
}

class MapReader {
  readonly #file: YamlFile;

  constructor(file: YamlFile) {
    this.#file = file;
  }

  read(text: string): RecordMap {
    const { value } = this.#file;
    const root = isRecord(value) ? value : {};
    if (!isRecord(value)) this.#file.tell([], `a map has ${KEYS.join(', ')}`);
    for (const key of Object.keys(root))
      if (!KEYS.includes(key)) this.#file.tellOfKey([key], `there is no "${key}": a map has ${KEYS.join(', ')}`);
    const texts = (part: string): ReadonlyMap<string, string> => this.#entries(root, part, isText, 'a text');
    return {
      text,
      isOfProfiles: this.#choice(root, 'kind', ['events', 'profiles']) === 'profiles',
      fields: new Map([...texts('fields')].map(([field, path]) => [field, path.split('.')])),
      constants: this.#entries(root, 'constants', isScalar, 'a text, a number or a truth value'),
      templates: texts('templates'),
      types: this.#entries(root, 'types', isType, TYPES.join(', ')),
      time: this.#time(root['time_format']),
      keepsRest: this.#choice(root, 'rest', ['properties', 'drop']) !== 'drop',
    };
  }

  #entries<T>(
    root: Readonly<Record<string, unknown>>,
    part: string,
    isRight: (value: unknown) => value is T,
    what: string,
  ): ReadonlyMap<string, T> {
    const found = root[part] ?? {};
    const entries = new Map<string, T>();
    if (!isRecord(found)) this.#file.tell([part], `${part} has a line for each field`);
    else
      for (const [field, value] of Object.entries(found)) {
        const problem = fieldProblem(field);
        if (problem !== null) this.#file.tellOfKey([part, field], problem);
        if (isRight(value)) entries.set(field, value);
        else this.#file.tell([part, field], `this must be ${what}`);
      }
    return entries;
  }

  #choice(root: Readonly<Record<string, unknown>>, key: string, choices: readonly string[]): unknown {
    const value = root[key];
    const isOne = typeof value === 'string' && choices.includes(value);
    if (value !== undefined && !isOne) this.#file.tell([key], `${key} is ${choices.join(' or ')}`);
    return value;
  }

  #time(format: unknown): ReadFormat | null {
    if (format === undefined) return null;
    const read = typeof format === 'string' ? timeFormat(format) : 'it must be a text';
    if (typeof read !== 'string') return read;
    this.#file.tell(['time_format'], `time_format: ${read}`);
    return null;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isType = (value: unknown): value is MappedType => TYPES.some((type) => type === value);
