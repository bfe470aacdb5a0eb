/** The notes of an answer, as people read them above it: in their dates and numbers, with buttons that do what a note proposes. */
import { bucketText, momentText, spanText, type BucketUnit } from './dashboard/buckets.ts';
import { withName, withRange } from './query-edits.ts';

/** A change of the query that a note proposes. */
export interface Proposal {
  /** What the button says, with code in backticks. */
  readonly text: string;
  /** The query that it asks. */
  readonly query: string;
}

export interface ReadNote {
  /** With code in backticks. */
  readonly text: string;
  readonly proposal: Proposal | null;
}

/** The notes of an answer to `q`, without those that the page itself tells: how many rows there are, and how to see the others. */
export function readNotes(notes: readonly string[], q: string): readonly ReadNote[] {
  return notes.filter((note) => !OF_PAGE.test(note)).map((note) => readNote(note, q));
}

const OF_PAGE = /^(?:No rows|Rows \d+ to \d+) of the \d+/;
const PARTIAL = /^Partial (hour|day|week|month|quarter|year)s?, cut by the range: (.+)\.$/;
const COMPARED = /^Compared with (\S+) to (\S+)\.$/;
const ELSEWHERE =
  /^(.+) in this range; (\d+) (?:is|are) stored at other times, from (\S+) to (\S+): `(from \S+ to \S+)` shows (?:it|them)\.$/s;
const NEAREST = /^(?:(No event) ("(?:[^"\\]|\\.)*")|(No exposure of the choice) ("(?:[^"\\]|\\.)*")|`([^`]+)` has no value)(.*?); the nearest known (?:event )?is (?:`([^`]+)`|("(?:[^"\\]|\\.)*"))(?:; .+)?\.$/s; // prettier-ignore

function readNote(note: string, q: string): ReadNote {
  const partial = PARTIAL.exec(note);
  if (partial !== null) return { text: partialText(partial), proposal: null };
  const compared = COMPARED.exec(note);
  if (compared !== null) {
    const [, from = '', to = ''] = compared;
    return { text: `Compared with ${momentText(from)} to ${momentText(to)}.`, proposal: null };
  }
  const elsewhere = ELSEWHERE.exec(note);
  if (elsewhere !== null) return readElsewhere(elsewhere, q);
  const nearest = NEAREST.exec(note);
  if (nearest !== null) return readNearest(nearest, q);
  return { text: note, proposal: null };
}

/** `Incomplete days: Nov 22, Nov 29.` */
function partialText([, word = '', starts = '']: RegExpExecArray): string {
  const unit: BucketUnit = isUnit(word) ? word : 'day';
  const texts = starts.split(', ').map((start) => bucketText(unit, start, unit === 'hour' ? 'long' : 'short'));
  return `Incomplete ${word}${texts.length > 1 ? 's' : ''}: ${texts.join(', ')}.`;
}

const isUnit = (word: string): word is BucketUnit =>
  word === 'hour' || word === 'day' || word === 'week' || word === 'month' || word === 'quarter' || word === 'year';

/** `No event "signup" in this range. There are 785 in Oct 18 – Nov 28, 2026.` */
function readElsewhere([, missing = '', count = '', from = '', to = '', range = '']: RegExpExecArray, q: string): ReadNote {
  const isOne = count === '1';
  const stored = `There ${isOne ? 'is 1' : `are ${Number(count).toLocaleString()}`} at another time: ${spanText({ from, to })}.`;
  return {
    text: `${missing} in this range. ${stored}`,
    proposal: { text: isOne ? 'Show it' : 'Show them', query: withRange(q, range) },
  };
} // prettier-ignore

/** `No event "signp" in this range. Did you mean "signup"?` */
function readNearest(match: RegExpExecArray, q: string): ReadNote {
  const [, ofEvent, event, ofChoice, choice, field, where = '', nearField, nearName] = match;
  const [old, name] = [event ?? choice ?? field ?? '', nearField ?? nearName ?? ''];
  const what = field === undefined ? `${ofEvent ?? ofChoice} ${old}` : `\`${field}\` has no value`;
  const shown = nearField === undefined ? name : `\`${name}\``;
  const query = withName(q, old, name);
  return {
    text: `${what}${where}. Did you mean ${shown}?`,
    proposal: query === q ? null : { text: `Use ${shown}`, query },
  };
}
