/** Size limits for the parts of an event. Values beyond them are trimmed and counted; such an id or event type is invalid. */

/** Characters (code points) of an event type. */
export const MAX_EVENT_TYPE = 256;
/** Characters (code points) of a user, device, session or insert id. */
export const MAX_ID = 512;
/** UTF-16 units of `library`. */
export const MAX_LIBRARY = 256;
/** UTF-16 units of `ip`; an IPv6 address with a zone has fewer. */
export const MAX_IP = 64;
/** UTF-16 units of a user agent; longer ones are cut, which keeps what identifies the browser. */
export const MAX_USER_AGENT = 1024;
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
export const MAX_KEY = 256;
/** UTF-16 units of a property's text outside objects and arrays. */
export const MAX_TEXT = 8192;
/** Levels of an object or array; the outermost is the first. */
export const MAX_DEPTH = 32;
/** Bytes of an object or array as compact JSON. */
export const MAX_JSON_BYTES = 65_536;
