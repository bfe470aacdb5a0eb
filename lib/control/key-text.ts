/** Ids and keys as text: prefix and random bits. */
import { hash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Of whatever nobody may guess. */
export const SECRET_BYTES = 32;
const KEY_DIGITS = 43; // 62^43 > 2^256
const SECRET_SHAPE = /^[0-9A-Za-z_-]{43}$/;
const KEY_SHAPE = /^(pk|sk|ak|aat|op)_[0-9A-Za-z]{43}$/;

export type IdPrefix = 'org_' | 'prj_' | 'tok_' | 'usr_' | 'ses_' | 'msg_' | 'opk_' | 'ann_';
export type KeyPrefix = 'pk_' | 'sk_' | 'ak_' | 'aat_' | 'op_';

/** Prefix and 128 random bits, URL-safe. */
export function newId(prefix: IdPrefix): string {
  return prefix + randomBytes(16).toString('base64url');
}

/** Prefix and 256 random bits, base62. */
export function newKey(prefix: KeyPrefix): string {
  let rest = BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`);
  let digits = '';
  for (let i = 0; i < KEY_DIGITS; i++) {
    digits = BASE62.charAt(Number(rest % 62n)) + digits;
    rest /= 62n;
  }
  return prefix + digits;
}

/** 256 random bits, URL-safe: the id of a session, the token of a login link. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Whether a text can be one: whole, and nothing besides. */
export function isSecretShaped(text: string): boolean {
  return SECRET_SHAPE.test(text);
}

/** Whether a text can be a key at all, so that garbage needs no lookup. */
export function isKeyShaped(text: string): boolean {
  return KEY_SHAPE.test(text);
}

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The same as text. */
export function nameOfKey(key: string): string {
  return hash('sha256', key, 'base64');
}

/** The part of a token that may be shown after creation. */
export function shownPrefix(token: string): string {
  return token.slice(0, 12); // characters of a token shown in lists: the prefix and 8 digits, 47 bits of 256
}
