/** What a schema finds wrong with a file, as sentences. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ErrorObject } from 'ajv';
import { nearest } from '../base/text/nearest.ts';
import type { Path, YamlFile } from './yaml-file.ts';

const OPTIONS = {
  allErrors: true,
  verbose: true,
  discriminator: true,
  strict: false,
  strictNumbers: true, // JSON has no .nan and .inf: a page would get null
} as const;

/** What notes them in a file. @param whole What the file is called: `the dashboard`. */
export function schemaTeller(schema: object, whole: string): (file: YamlFile) => void {
  const validate = new Ajv2020(OPTIONS).compile(schema);
  return (file) => {
    if (validate(file.value)) return;
    // The most errors examined: finding the position of each takes a search.
    for (const error of meant((validate.errors ?? []).slice(0, 1_000))) tell(file, error, whole);
  };
}

/** They only report that there are others, which `required`, `enum` and `propertyNames` describe. */
const SUMS: ReadonlySet<string> = new Set(['discriminator', 'oneOf']);

/** Drops the errors of alternatives that were not meant, and those that only sum up others. */
function meant(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const dropped = new Set(
    errors.filter(({ keyword, propertyName }) => SUMS.has(keyword) || propertyName !== undefined),
  );
  for (const choice of errors.filter(({ keyword }) => keyword === 'anyOf')) {
    const branches = errors.filter(({ schemaPath }) => schemaPath.startsWith(`${choice.schemaPath}/`));
    const own = branches.filter(({ instancePath }) => isWithin(instancePath, choice.instancePath));
    const telling = own.filter(
      ({ keyword, instancePath }) => keyword !== 'type' || instancePath !== choice.instancePath,
    );
    for (const error of own) if (!telling.includes(error)) dropped.add(error);
    if (telling.length > 0) dropped.add(choice);
  }
  return errors.filter((error) => !dropped.has(error));
}

function isWithin(path: string, around: string): boolean {
  return path === around || path.startsWith(`${around}/`);
}

function tell(file: YamlFile, error: ErrorObject, whole: string): void {
  const path = pathOf(error.instancePath, file.value);
  const params: Readonly<Record<string, unknown>> = error.params;
  switch (error.keyword) {
    case 'additionalProperties': {
      const key = String(params['additionalProperty']);
      return file.tellOfKey([...path, key], unknownKey(key, propertiesOf(error)));
    }
    case 'propertyNames':
      return file.tellOfKey([...path, String(params['propertyName'])], NAME);
    case 'required':
      return file.tell(path, `${nameOf(path, whole)} lacks \`${String(params['missingProperty'])}\``);
    case 'enum':
      return file.tell(path, expectedOne(params['allowedValues'], error.data));
    case 'const':
      return file.tell(path, `expected ${JSON.stringify(params['allowedValue'])}, found ${shown(error.data)}`);
    case 'type':
      return file.tell(path, expectedType(params['type'], error.data));
    case 'pattern':
      return file.tell(path, `${shown(error.data)} does not fit: ${PATTERNS[lastName(path)] ?? NAME}`);
    case 'anyOf':
      return file.tell(path, `${nameOf(path, whole)} may not be ${shown(error.data)}`);
    default:
      return file.tell(path, `${nameOf(path, whole)} ${error.message ?? 'is wrong'}`);
  }
}

const NAME = 'a name has letters, digits and _, and starts with none of the digits';

const PATTERNS: Readonly<Record<string, string>> = {
  id: 'an id has lower-case letters, digits, - and _, at most 64, and starts with a letter or a digit',
  refresh: 'a time is written 30s, 5m or 1h',
  currency: 'a currency is written with its three letters, such as EUR',
};

function unknownKey(key: string, known: readonly string[]): string {
  const near = nearest(key, known);
  return `unknown key \`${key}\`; ${near === null ? `there are ${known.join(', ')}` : `did you mean \`${near}\`?`}`;
}

function propertiesOf({ parentSchema }: ErrorObject): readonly string[] {
  const properties: unknown = parentSchema?.['properties'];
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function expectedOne(allowed: unknown, found: unknown): string {
  const words = Array.isArray(allowed) ? allowed.map(String) : [];
  const near = typeof found === 'string' ? nearest(found, words) : null;
  return `expected one of ${words.join(', ')}; found ${shown(found)}${near === null ? '' : `, did you mean ${near}?`}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a map of keys',
  array: 'a list',
  null: 'nothing',
};

function expectedType(type: unknown, found: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).map(String);
  const isBare = types.includes('string') && (typeof found === 'number' || typeof found === 'boolean');
  return `expected ${types.map((one) => NOUNS[one] ?? one).join(' or ')}, found ${shown(found)}${isBare ? '; put it in quotes' : ''}`;
}

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map of keys';
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

function lastName(path: Path): string {
  return path.findLast((step) => typeof step === 'string') ?? '';
}

/** What a problem's sentence begins with. */
function nameOf(path: Path, whole: string): string {
  const name = lastName(path);
  if (name === '') return whole;
  if (typeof path.at(-1) !== 'number') return `\`${name}\``;
  const noun = { sections: 'the section', cards: 'the card', variables: 'the variable', options: 'the option' }[name];
  return noun ?? `an entry of \`${name}\``;
}

/** A JSON pointer as a path, with numbers for list positions. */
function pathOf(pointer: string, root: unknown): Path {
  const path: (string | number)[] = [];
  let value = root;
  for (const escaped of pointer.split('/').slice(1)) {
    const step = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(value) ? Number(step) : step);
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return path;
}
