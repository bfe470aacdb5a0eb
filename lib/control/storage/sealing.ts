/** AES-256-GCM: iv, tag and ciphertext in one. What was sealed for an owner opens only for it, so rows cannot be swapped. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD = IV_BYTES + TAG_BYTES;

export function seal(key: Buffer, text: string, owner = ''): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), body]);
}

/** Throws if it was sealed with another key, or for another owner. */
export function unseal(key: Buffer, sealed: Buffer, owner = ''): string {
  const iv = sealed.subarray(0, IV_BYTES);
  const cipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(IV_BYTES, HEAD));
  return Buffer.concat([cipher.update(sealed.subarray(HEAD)), cipher.final()]).toString('utf8');
}
