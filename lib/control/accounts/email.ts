import { AppError } from '../../base/errors.ts';

/** No characters of category C: those that nobody sees (zero width, direction of text) make it look like another address. */
const SHAPE = /^[^\s\p{C}@<>()[\],;:"\\]+@[^\s\p{C}@<>()[\],;:"\\]+$/u;

/**
 * An address as it is stored and compared, trimmed and in lower case; null if it is not one. One that NFKC changes is not one: it
 * looks like another, and a provider, a mail server or `toLowerCase` may turn it into that (U+212A becomes k).
 */
export function normaliseEmail(text: string): string | null {
  const given = text.trim();
  const address = given.toLowerCase();
  if (given.normalize('NFKC') !== given || address.normalize('NFKC') !== address) return null;
  return address.length <= 254 && SHAPE.test(address) ? address : null; // what a mail server takes
}

/** Like `normaliseEmail`. Throws AppError `bad_request` for invalid addresses. */
export function checkEmail(text: string): string {
  const address = normaliseEmail(text);
  if (address !== null) return address;
  const plain = text.normalize('NFKC') === text && !/[\p{Cf}\p{Cs}]/u.test(text);
  throw new AppError('bad_request', 'That is no e-mail address: it should look like ada@example.com.', {
    field: 'email',
    ...(plain ? {} : { hints: ['Use plain letters: some characters only look like others, or like nothing.'] }),
  });
}
