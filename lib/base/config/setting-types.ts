/**
 * The notations of settings: text → value. A parser throws a plain Error whose message completes "WINDLASS_X must be …";
 * it never repeats the text, which may be a secret.
 */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../day.ts';
import ipaddr from 'ipaddr.js';
import { BUCKET_FORM, namesBucket, parseLocation } from '../bucket-location.ts';
import { isLoopback } from '../net/loopback.ts';

/** How a setting is written. `parse` gets trimmed, non-empty text. */
export interface SettingType<T> {
  /** For the documentation: `duration`, `size`, … */
  readonly name: string;
  /** Unit and range, for the documentation and for errors: `a duration like 25s, from 1ms to 1h`. */
  readonly expects: string;
  parse(text: string): T;
  /** True: the value never appears in a message, a log or a listing. */
  readonly secret: boolean;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** An address with a prefix length, as ipaddr.js matches it. */
export type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const MILLISECONDS = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS };
const BYTES = { b: 1, kb: 1_000, mb: 1_000_000, gb: 1e9, kib: 1_024, mib: 1_048_576, gib: 1_073_741_824 };
const MIN_SIGNING_SECRET = 24; // bytes, as the specification requires

/** Milliseconds, written `<n>ms|s|m|h`. */
export function duration(from: string, to: string): SettingType<number> {
  const expects = `a duration <n>ms, <n>s, <n>m or <n>h from ${from} to ${to}`;
  return plain('duration', expects, bounded(milliseconds, milliseconds(from), milliseconds(to)));
}

/** Bytes, written as a number with KiB, MiB, GiB, KB, MB, GB or no unit. */
export function size(from: string, to: string): SettingType<number> {
  return plain('size', `a size like 64MiB from ${from} to ${to}`, bounded(bytes, bytes(from), bytes(to)));
}

/** A whole number. */
export function count(from: number, to: number): SettingType<number> {
  return plain('number', `a whole number from ${from} to ${to}`, bounded(whole, from, to));
}

/** A number with at most six decimals. */
export function decimal(from: number, to: number): SettingType<number> {
  const number = (text: string): number => {
    if (!/^\d{1,12}(?:\.\d{1,6})?$/.test(text)) throw new Error('not a number');
    return Number(text);
  };
  return plain('number', `a number from ${from} to ${to} with at most 6 decimals`, bounded(number, from, to));
}

/** Three letters of ISO 4217, kept in upper case. */
export const currency: SettingType<string> = plain('currency', 'a currency like EUR', (text) => {
  const code = text.toUpperCase();
  if (!Intl.supportedValuesOf('currency').includes(code)) throw new Error('unknown currency');
  return code;
});

/** `on` or `off` (also true, false, 1, 0, yes, no). */
export const onOff: SettingType<boolean> = plain('switch', '"on" or "off"', (text) => {
  if (/^(on|true|1|yes)$/i.test(text)) return true;
  if (/^(off|false|0|no)$/i.test(text)) return false;
  throw new Error('unknown word');
});

/** One of several words. */
export function oneOf<T extends string>(...words: readonly T[]): SettingType<T> {
  return plain('word', `one of ${words.join(', ')}`, (text) => {
    const found = words.find((word) => word === text.toLowerCase());
    if (found === undefined) throw new Error('unknown word');
    return found;
  });
}

/** `host:port`; an IPv6 host needs square brackets, an empty one means every interface. Port 0 picks any free port. */
export const address: SettingType<Address> = plain('address', 'an address host:port', parseAddress);

/** Like `address`, or `none`. */
export const addressOrNone: SettingType<Address | null> = plain('address', 'an address host:port, or "none"', (text) =>
  text.toLowerCase() === 'none' ? null : parseAddress(text),
);

/** Addresses and CIDR ranges separated by commas; `none` is the empty list. */
export const cidrs: SettingType<readonly Cidr[]> = plain(
  'CIDR list',
  'addresses or CIDR ranges with commas between, like 10.0.0.0/8,::1, or "none"',
  (text) => (text.toLowerCase() === 'none' ? [] : text.split(',').map((entry) => parseCidr(entry.trim()))),
);

/** A path on this machine. */
export const path: SettingType<string> = plain('path', 'a path', (text) => {
  if (text.includes('\0')) throw new Error('NUL in a path');
  return text;
});

/** A folder, or a bucket in a store. */
export const backupTarget: SettingType<string> = plain('path', `a path, or ${BUCKET_FORM}`, (text) => {
  if (namesBucket(text) && parseLocation(text) === null) throw new Error('not a bucket');
  return path.parse(text);
});

/** An http or https URL without query and fragment; a trailing slash is dropped. */
export const url: SettingType<string> = plain('URL', 'an http:// or https:// URL without query', (text) => {
  const parsed = new URL(text);
  if (!/^https?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '' || parsed.username !== '') {
    throw new Error('not a plain URL');
  }
  return parsed.href.replace(/\/+$/, '');
});

/** A mail server; the URL may have a password, so it is a secret. */
export const smtpUrl: SettingType<string> = {
  name: 'secret',
  expects: 'smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host where the server wants them',
  secret: true,
  parse: (text) => {
    const { protocol, hostname } = new URL(text);
    if (!/^smtps?:$/.test(protocol) || hostname === '') throw new Error('not the URL of a mail server');
    return text;
  },
};

/** How to reach the operator. */
export interface Contact {
  readonly href: string;
  /** As shown. */
  readonly text: string;
}

/** An e-mail address, or a page's URL. */
export const contact: SettingType<Contact> = plain(
  'contact',
  'an e-mail address, or an http:// or https:// URL',
  (text) => {
    if (/^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*$/.test(text)) return { href: `mailto:${text}`, text };
    const { protocol, href, host, username } = new URL(text);
    if (!/^https?:$/.test(protocol) || username !== '') throw new Error('not a page');
    return { href, text: host };
  },
);

/** A URL that secrets may be sent to; kept as written. */
export const secureUrl: SettingType<string> = plain(
  'URL',
  'an https:// URL without query; http:// on loopback only',
  (text) => {
    const { protocol, hostname, username } = new URL(text);
    const secure = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
    if (!secure || username !== '' || /[?#\s]/.test(text)) throw new Error('not a secure URL');
    return text;
  },
);

/** A line of text for people. */
export function line(longest: number): SettingType<string> {
  return plain('text', `a line of at most ${longest} characters`, (text) => {
    if (text.length > longest || /\p{Cc}/u.test(text)) throw new Error('not a line');
    return text;
  });
}

/** The name of a request header; kept in lower case. */
export const headerName: SettingType<string> = plain('header', 'the name of an HTTP header', (text) => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(text)) throw new Error('not a header name');
  return text.toLowerCase();
});

/** Text that never appears in a message or a log. */
export function secret(minimum: number): SettingType<string> {
  return {
    name: 'secret',
    expects: minimum === 1 ? 'not empty' : `at least ${minimum} characters`,
    secret: true,
    parse: (text) => {
      if (text.length < minimum) throw new Error('too short');
      return text;
    },
  };
}

/** The secret for signing messages, as the Standard Webhooks specification writes it, or as text. */
export const signingSecret: SettingType<Buffer> = {
  name: 'secret',
  expects: `whsec_ and base64 of ${MIN_SIGNING_SECRET} to 64 bytes, or a text of ${MIN_SIGNING_SECRET} to 64 bytes`,
  secret: true,
  parse: (text) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
    const bytes = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
    if (text.startsWith('whsec_') && base64 === undefined) throw new Error('not base64');
    if (bytes.length < MIN_SIGNING_SECRET || bytes.length > 64) throw new Error('too short or too long');
    return bytes;
  },
};

/** A type whose setting may be left out: then, and for `none`, it is `null`. */
export function orNone<T>(type: SettingType<T>): SettingType<T | null> {
  return { ...type, parse: (text) => (!type.secret && text.toLowerCase() === 'none' ? null : type.parse(text)) };
}

function plain<T>(name: string, expects: string, parse: (text: string) => T): SettingType<T> {
  return { name, expects, parse, secret: false };
}

function bounded(parse: (text: string) => number, from: number, to: number): (text: string) => number {
  return (text) => {
    const value = parse(text);
    if (value < from || value > to) throw new Error('out of range');
    return value;
  };
}

function milliseconds(text: string): number {
  const match = /^(\d{1,12})\s*(ms|s|m|h)$/i.exec(text);
  if (match === null) throw new Error('not a duration');
  return Number(match[1]) * factor(MILLISECONDS, match[2]);
}

function bytes(text: string): number {
  const match = /^(\d{1,15})\s*(b|kb|mb|gb|kib|mib|gib)?$/i.exec(text);
  if (match === null) throw new Error('not a size');
  return Number(match[1]) * factor(BYTES, match[2] ?? 'b');
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('not a whole number');
  return Number(text);
}

function factor(table: Readonly<Record<string, number>>, unit: string | undefined): number {
  const found = unit === undefined ? undefined : table[unit.toLowerCase()];
  if (found === undefined) throw new Error('unknown unit');
  return found;
}

function parseAddress(text: string): Address {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) throw new Error('not an address');
  if (match[1] !== undefined && !ipaddr.IPv6.isValid(match[1])) throw new Error('not an IPv6 address');
  return { host: match[1] ?? (match[2] === '' || match[2] === undefined ? '::' : match[2]), port };
}

function parseCidr(text: string): Cidr {
  // ipaddr.js also reads `10.1/16` as 10.0.0.1/16, and `010.0.0.0` as 8.0.0.0: other addresses than were meant would be trusted.
  if (!text.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(text.split('/', 1)[0]!)) throw new Error('no address');
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const parsed = ipaddr.parse(text);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}
