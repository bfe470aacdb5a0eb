import { AppError } from '../../base/errors.ts';

const MAX_LENGTH = 254; // what a mail server takes
const SHAPE = /^[^\s\p{Cc}@<>()[\],;:"\\]+@[^\s\p{Cc}@<>()[\],;:"\\]+$/u;

/**
 * An address as it is stored and compared, trimmed and in lower case; null when it is none. One that NFKC changes is none: it
 * looks like another, and may become it in the hands of a provider, a mail server, or `toLowerCase` (U+212A is a k then).
 */
export function normaliseEmail(text: string): string | null {
  const given = text.trim();
  const address = given.toLowerCase();
  if (given.normalize('NFKC') !== given || address.normalize('NFKC') !== address) return null;
  return address.length <= MAX_LENGTH && SHAPE.test(address) ? address : null;
}

/** As `normaliseEmail`. Throws AppError `bad_request` for what is no address. */
export function checkEmail(text: string): string {
  const address = normaliseEmail(text);
  if (address !== null) return address;
  const plain = text.normalize('NFKC') === text;
  throw new AppError('bad_request', 'email must be an e-mail address, such as ada@example.com', {
    ...(plain ? {} : { hints: ['use plain letters: some characters only look like others'] }),
  });
}
