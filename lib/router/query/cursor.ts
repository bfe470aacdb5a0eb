/**
 * Cursors: where a page ended, as a text with which the next one goes on there. Whoever sends one may have written it: it names a
 * place in the asker's own project, where any place may be asked for, and nothing else.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import { readPlace, type EventPlace } from '../../dsl/plan/onward.ts';

/** What is paged through, and in which order, by the letter that its cursors begin with. */
const KINDS = {
  l: 'the rows of a `list`',
  t: 'an export in order of time',
  a: 'an export in order of arrival',
  b: 'an export of bindings',
  p: 'an export of profiles',
} as const;

export type CursorKind = keyof typeof KINDS;

export interface Cursor {
  readonly kind: CursorKind;
  /** The id behind which it goes on, or the place of an event. */
  readonly at: string;
}

/** Characters: an id has at most 512, of four bytes each. */
const LONGEST = 3_000;
/** Characters that stand for the project. */
const PROJECT = 8;
const FORM = /^([a-z])([\w-]{8})([\w-]*)$/;

/** The text of a cursor, of characters that need no escape in an address. */
export function cursorText(projectId: string, { kind, at }: Cursor): string {
  return kind + markOf(projectId) + Buffer.from(at).toString('base64url');
}

/** Throws AppError `bad_request` for a text that is no cursor of this project, and for one of something else than of `kinds`. */
export function readCursor(projectId: string, text: string, kinds: readonly CursorKind[]): Cursor {
  const [, letter = '', project, at = ''] = (text.length <= LONGEST && FORM.exec(text)) || [];
  if (!Object.hasOwn(KINDS, letter)) throw refused('it is not one that this server gave');
  if (project !== markOf(projectId)) throw refused('it is of another project');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of its own keys
  const kind = letter as CursorKind;
  if (!kinds.includes(kind)) throw refused(`it goes on in ${KINDS[kind]}`);
  return { kind, at: Buffer.from(at, 'base64url').toString('utf8') };
}

/** The place of an event in a cursor. Throws AppError `bad_request`. */
export function placeIn({ at }: Cursor): EventPlace {
  const place = readPlace(at);
  if (place === null) throw refused('it is not one that this server gave');
  return place;
}

function refused(why: string): AppError {
  return new AppError('bad_request', `The cursor cannot be used: ${why}.`, {
    hints: ['Send the cursor of the page before, as it was given, or none to begin with the first page.'],
  });
}

const markOf = (projectId: string): string =>
  createHash('sha256').update(projectId).digest('base64url').slice(0, PROJECT);
