/** Hashes that stand for ids in answers to those who may not know whom they are of. */
/** Characters of a hash, of four bits each: with so many no two ids of a project ever meet. */
const DIGITS = 32;

/** Constant for a key, and without it nobody finds the id. It never spells a number. */
export function hashedId(key: string, id: string): string {
  const { createHmac } = process.getBuiltinModule('node:crypto'); // few threads ever need it, and it is slow to load
  return `h_${createHmac('sha256', key).update(id).digest('hex').slice(0, DIGITS)}`;
}
