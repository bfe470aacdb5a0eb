import { createHmac, hkdfSync, timingSafeEqual, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../base/errors.ts';
import type { ControlConnection } from './connection.ts';

/** The setting that has the secret, unless a file in the data folder does. */
export const SETTING = 'WINDLASS_SECRET';

const MIN_SECRET_LENGTH = 16;
const CHECK = 'secret_check';

/** Uses the service's secret: seals keys that can be shown again, and hashes ids of users. */
export class Vault {
  readonly #sealing: Buffer;
  readonly #hashing: Buffer;
  readonly #signing: Buffer;
  readonly #check: Buffer;

  /** Throws AppError if the secret is too short. */
  constructor(secret: string) {
    if (secret.length < MIN_SECRET_LENGTH) {
      throw new AppError('bad_request', `WINDLASS_SECRET must have at least ${MIN_SECRET_LENGTH} characters`);
    }
    this.#sealing = derive(secret, 'windlass sealed keys');
    this.#hashing = derive(secret, 'windlass user hashes');
    this.#signing = derive(secret, 'windlass signing keys');
    this.#check = derive(secret, 'windlass secret check');
  }

  /** Throws AppError unless the secret is the one the database was created with. @param name Where it comes from. */
  async check(connection: ControlConnection, name: string): Promise<void> {
    const kept = () => connection.db.selectFrom('meta').select('value').where('name', '=', CHECK);
    const { value: known } =
      (await kept().executeTakeFirst()) ??
      (await connection.write(async () => {
        const insert = connection.db.insertInto('meta').values({ name: CHECK, value: this.#check });
        await insert.onConflict((row) => row.doNothing()).execute();
        return kept().executeTakeFirstOrThrow();
      }));
    if (known.length === this.#check.length && timingSafeEqual(known, this.#check)) return;
    const isSet = name === SETTING;
    throw new AppError('bad_request', `${name} is not the secret this data folder was created with`, {
      hints: [
        `${isSet ? 'set the previous secret' : 'restore that file from a backup, or set WINDLASS_SECRET to the secret'}: it encrypts the secret keys in the control database`,
      ],
    });
  }

  /** It opens only with the same `owner`. */
  seal(text: string, owner: string): Buffer {
    return seal(this.#sealing, text, owner);
  }

  open(sealed: Buffer, owner: string): string {
    return unseal(this.#sealing, sealed, owner);
  }

  /** A signing key, different for each purpose: 256 bits as text. */
  signingKey(purpose: string): string {
    return derive(this.#signing, purpose).toString('base64url');
  }

  /** A user's id for the audit trail: constant for a user, and irreversible without the secret. */
  hashUser(projectId: string, userId: string): string {
    return createHmac('sha256', this.#hashing).update(`${projectId}\0${userId}`).digest('base64url').slice(0, 22);
  }
}

function derive(secret: string | Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const HEAD = IV_BYTES + TAG_BYTES;

/** AES-256-GCM: iv, tag and ciphertext in one. What was sealed for an owner opens only for it, so rows cannot be swapped. */
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
