/** Texts that anybody may have sent, in Markdown: a client that renders it shows them as they are. */
import { unicodeEscape } from './unicode-escape.ts';

/**
 * The text of a cell of a table. A pipe would end the cell, and backslashes before it would undo its escape. A line break would end
 * the row.
 */
export function markdownCellText(text: string): string {
  return escapeControls(withoutTags(text, LIVE_IN_CELL));
}

/** Text in a line of its own, where a pipe means nothing. */
export function markdownLineText(text: string): string {
  return escapeControls(withoutTags(text, LIVE));
}

/**
 * Only what would come alive is escaped, as answers are read as they are, too: tags, comments and addresses in angle brackets, images
 * and links. Emphasis, code and plain addresses show their own text.
 */
function withoutTags(text: string, live: RegExp): string {
  return text
    .replace(live, (run) => `${'\\'.repeat(2 * (run.length - 1))}\\${run.at(-1)!}`)
    .replaceAll('![', '!\\[')
    .replaceAll('](', ']\\(');
}

// A run of backslashes is read once, from its start: in a long one each place would be tried as a start.
const LIVE = /(?<!\\)\\*<(?=[a-z/!?])/gi;
const LIVE_IN_CELL = /(?<!\\)\\*(?:\||<(?=[a-z/!?]))/gi;

/** Shows control characters, and those that break lines or change text direction, as `\n`, `\u001b`. */
function escapeControls(text: string): string {
  return text.replace(CONTROLS, (unit) => NAMED.get(unit) ?? unicodeEscape(unit));
}

// oxlint-disable-next-line no-control-regex -- they are what it looks for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
