/** Texts that programs send for an id that they do not have. Taken as ids, they would join all their senders into one person. */

/** Of any id, in exactly this spelling. */
export const NO_ID: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'NaN', 'none', '[object Object]']);

/** Of a device or person that is not known. */
const NOBODY: ReadonlySet<string> = new Set([
  ...['0', '-1', '00000000-0000-0000-0000-000000000000', 'unknown', 'anonymous', 'guest'],
]);

/** Further texts that mean no id, by the field. A user id may be any of them, but is told of. */
const NO_ID_AS: Readonly<Record<string, ReadonlySet<string>>> = {
  device_id: NOBODY,
  session_id: new Set(['0', '-1']),
};

/** Whether a text is none in this field, although it may be one in another. */
export const isNobody = (field: string, id: string): boolean => NO_ID_AS[field]?.has(id) === true;

/** Whether a user id is probably that of everybody who is not known. */
export const looksLikeNobody = (userId: string): boolean => NOBODY.has(userId);
