import { AppError } from '../errors.ts';

const MAX_LENGTH = 254; // what a mail server takes
const SHAPE = /^[^\s\p{Cc}@<>()[\],;:"\\]+@[^\s\p{Cc}@<>()[\],;:"\\]+$/u;

/** An address as it is stored and compared, trimmed and in lower case; null when it is none. */
export function normaliseEmail(text: string): string | null {
  const address = text.trim().toLowerCase();
  return address.length <= MAX_LENGTH && SHAPE.test(address) ? address : null;
}

/** As `normaliseEmail`. Throws AppError `bad_request` for what is no address. */
export function checkEmail(text: string): string {
  const address = normaliseEmail(text);
  if (address !== null) return address;
  throw new AppError('bad_request', 'email must be an e-mail address, such as ada@example.com');
}
