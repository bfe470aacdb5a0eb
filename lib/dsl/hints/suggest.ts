/** Suggestions for an error that need data: the properties that a bare name may have meant. */
import type { AppError } from '../../base/errors.ts';
import { QueryError, type UnknownName } from '../errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { fieldText } from './name-text.ts';

/** What a project has. A part of the event store's catalog. */
export interface KnownNames {
  readonly events: readonly { readonly name: string; readonly rows: number }[];
  /** Full names: `event_properties.x`, `user_properties.x`, `user.x`. */
  readonly fields: readonly string[];
}

const PREFIXES = ['event_properties.', 'user.', 'user_properties.'] as const;

/** In one order, whichever store they are from: of several that are equally near, all stores name the same. */
export function inOneOrder({ events, fields }: KnownNames): KnownNames {
  const byPrefix = Map.groupBy(fields, (field) => field.slice(0, field.indexOf('.')));
  return {
    events: events.toSorted((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1)),
    fields: [...byPrefix.values()].flatMap((same) => same.toSorted()),
  };
}

/** Whether the project's catalog can add to the error; fetch it only then. */
export function wantsSuggestions(error: AppError): boolean {
  return error instanceof QueryError && error.unknown !== null;
}

/** Adds the properties that have the unknown name, or the nearest to it. Returns any other error unchanged. */
export function withSuggestions(error: AppError, names: KnownNames): AppError {
  if (!(error instanceof QueryError) || error.unknown === null) return error;
  const proposals = propertiesFor(error.unknown, inOneOrder(names).fields).map(
    (name) => `there is \`${fieldText(name)}\``,
  );
  const fresh = proposals.filter((hint) => !error.hints.includes(hint));
  return new QueryError(error.query, error.position, error.sentence, { hints: [...error.hints, ...fresh] });
}

function propertiesFor({ name, prefixes }: UnknownName, fields: readonly string[]): string[] {
  const known = new Set(fields);
  const taken = PREFIXES.filter((prefix) => prefixes.includes(prefix));
  const same = taken.map((prefix) => prefix + name).filter((field) => known.has(field));
  if (same.length > 0) return same;
  const keys = new Map<string, string>();
  for (const prefix of taken) {
    for (const field of fields) {
      if (field.startsWith(prefix) && !keys.has(field.slice(prefix.length))) {
        keys.set(field.slice(prefix.length), field);
      }
    }
  }
  const close = nearest(name, keys.keys());
  const field = close === null ? undefined : keys.get(close);
  return field === undefined ? [] : [field];
}
