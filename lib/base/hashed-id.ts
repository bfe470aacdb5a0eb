/** Hashes that stand for ids in answers to those who may not know whom they are of. */

/** Constant for a key, and without it nobody finds the id. It never spells a number. */
export function hashedId(key: string, id: string): string {
  const { createHmac } = process.getBuiltinModule('node:crypto'); // few threads ever need it, and it is slow to load
  return `h_${createHmac('sha256', key).update(id).digest('hex').slice(0, 32)}`;
}
