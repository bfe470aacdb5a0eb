/** Names that are too long to be stored: nothing has them. */
import { isLonger, LONGEST_NAME } from '../../base/text/longest-name.ts';
import { storedFields } from './fields.ts';
import type { EventName, Field } from './plan.ts';

export const isUnstoredEvent = (event: EventName): boolean => event !== null && isLonger(event, LONGEST_NAME);

/** The first part of a path is a property's key, or the whole path is; keys inside of objects may be of any length. */
export const isUnstoredField = (field: Field): boolean => storedFields(field).some(isUnstored);

const isUnstored = (field: Field): boolean =>
  'path' in field && field.path.length > LONGEST_NAME && field.path.split('.', 1)[0]!.length > LONGEST_NAME;
