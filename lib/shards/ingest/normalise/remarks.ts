/** What is told of an event or identify that is not stored as it was sent. Nothing is replaced or dropped without a remark. */
import { cutText } from './limits.ts';
import { MOST_TOLD } from '../../../base/text/shown.ts';

/** UTF-16 units of what was sent, and of a field's name, in a warning. */
const MOST_SENT = 128;

export interface Warning {
  /** As a path: `event_properties.price`. */
  readonly field: string;
  readonly message: string;
  /** What was sent, cut; objects and arrays as JSON. */
  readonly sent: string | number | boolean | null;
}

/** Of an event of a request. `index`: null for what is said of a whole batch. */
export type EventWarning = Warning & { readonly index: number | null };

export class Remarks {
  readonly warnings: Warning[] = [];
  timesReplaced = 0;
  fieldsIgnored = 0;
  valuesTrimmed = 0;
  idsIgnored = 0;
  /** Why a strict request rejects the event; null if it does not. */
  refusal: string | null = null;
  /** The field that is being read, for what is said of its value. */
  field = '';

  /** The server's time stands for a time that is none. */
  timeReplaced(field: string, why: string, sent: unknown): void {
    this.timesReplaced++;
    this.#refuse(`${field} ${why}: ${quoted(sent)}`);
    this.warn(field, `${why}; the time of arrival was taken`, sent);
  }

  /** A field that no event has. @param hintOf What it should be; not asked for more fields than are told of. */
  fieldIgnored(field: string, hintOf: (field: string) => string, sent: unknown): void {
    this.fieldsIgnored++;
    if (this.warnings.length === MOST_TOLD && this.refusal !== null) return;
    const name = cutText(field, MOST_SENT).toWellFormed();
    const hint = hintOf(field);
    this.#refuse(`unknown field "${name}": ${hint}`);
    this.warn(name, `unknown field, left out: ${hint}`, sent);
  }

  /** The value of the field, or part of it, is not stored. @param count How many values these are. */
  dropped(why: string, sent: unknown, count = 1): void {
    this.valuesTrimmed += count;
    this.#refuse(`${this.#path} ${why}`);
    this.warn(this.#path, `${why}; it was left out`, sent);
  }

  /** The field is stored, but not all of it. */
  trimmed(what: string, sent: unknown): void {
    this.valuesTrimmed++;
    this.warn(this.#path, what, sent);
  }

  /** An id that stands for nothing. */
  idIgnored(field: string, sent: unknown): void {
    this.idsIgnored++;
    this.warn(field, 'stands for no id; the field counts as missing', sent);
  }

  /** Tells of something that is stored as it was sent. */
  warn(field: string, message: string, sent: unknown): void {
    if (this.warnings.length < MOST_TOLD) this.warnings.push({ field, message, sent: shown(sent) });
  }

  #refuse(why: string): void {
    this.refusal ??= why;
  }

  get #path(): string {
    return cutText(this.field, 2 * MOST_SENT).toWellFormed();
  }
}

function shown(sent: unknown): Warning['sent'] {
  if (typeof sent === 'string' || typeof sent === 'bigint') return cutText(String(sent), MOST_SENT).toWellFormed();
  if (sent === null || typeof sent === 'boolean') return sent;
  if (typeof sent === 'number') return Number.isFinite(sent) ? sent : String(sent);
  return Array.isArray(sent) ? '[…]' : '{…}'; // JSON of what is too deep or too large would take long
}

const quoted = (sent: unknown): string =>
  typeof sent === 'string' ? JSON.stringify(shown(sent)) : String(shown(sent));
