/** Size limits for the parts of an event. Values beyond them are trimmed and counted; such an id or event type is invalid. */
import { LONGEST_NAME } from '../../../base/text/longest-name.ts';

/** Characters (code points) of an event type. */
export const MAX_EVENT_TYPE = LONGEST_NAME;
/** Characters (code points) of a user, device, session or insert id. */
export const MAX_ID = 512;
/** Characters (code points) of an import id. */
export const MAX_IMPORT_ID = 64;
/** UTF-16 units of `library`. */
export const MAX_LIBRARY = 256;
/** UTF-16 units of `ip`; an IPv6 address with a zone has fewer. */
export const MAX_IP = 64;
/** UTF-16 units of a user agent; longer ones are cut, which keeps what identifies the browser. */
export const MAX_USER_AGENT = 1024;
/** UTF-16 units of a field that a server states of its client. */
export const MAX_STATED = 1024;
/** Properties in one object of an event. */
export const MAX_PROPERTIES = 256;
/**
 * Properties of a profile, which is read and written as a whole, and in one object of a change to it. Changes that would add more
 * are ignored.
 */
export const MAX_PROFILE_PROPERTIES = 2_000;
/**
 * Bytes of a profile: its keys, its texts, and other values as compact JSON. Changes that would make it larger are ignored; one that
 * is larger, as releases before this limit stored, may only shrink.
 */
export const MAX_PROFILE_BYTES = 256 << 10;
/** UTF-16 units of a property's key. */
export const MAX_KEY = LONGEST_NAME;
/** UTF-16 units of a property's text outside objects and arrays. */
export const MAX_TEXT = 8192;
/** Levels of an object or array; the outermost is the first. */
export const MAX_DEPTH = 32;
/** Bytes of an object or array as compact JSON. */
export const MAX_JSON_BYTES = 65_536;

/** Whether the text is only white space, as `trim` defines it. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** The first `limit` UTF-16 units of a text, or one less to keep a surrogate pair whole. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const next = text.charCodeAt(limit);
  const parts = last >= 0xd800 && last <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
  return text.slice(0, parts ? limit - 1 : limit);
}
