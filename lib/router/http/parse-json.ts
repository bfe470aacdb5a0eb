import { AppError } from '../../base/errors.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The value of a body. Throws AppError 400 if it is not JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'it is not valid UTF-8';
    throw new AppError('bad_json', `The body is not JSON: ${why}.`);
  }
}
