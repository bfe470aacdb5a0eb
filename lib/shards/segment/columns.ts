/**
 * Numbers of the columns that every segment has. Table `fields` numbers the fields of projects from FIRST_FIELD on; negative
 * numbers are for the rows of event types: see type-rows.ts.
 */
export const TIME = 1;
export const ARRIVAL = 2;
export const INSERT_ID = 3;
export const EVENT_TYPE = 4;
export const USER_ID = 5; // also the number of the dictionary of user and device ids
export const DEVICE_ID = 6;
export const SESSION_ID = 7;
export const HOURS = 8;
/** The filter over the insert ids that arrived in the last 7 days, and the arrival of each row: see insert-filter.ts. */
export const INSERT_FILTER = 9;
export const RECEIVED = 10;
/** The triples of rows, which other columns use to look up codes: see triples.ts. */
export const TRIPLES = 11;
export const FIRST_FIELD = 16;

/** Half of a shard, which hardly any question reads: they are not kept in memory when its file is closed. */
export const RARELY_READ: readonly number[] = [INSERT_ID, INSERT_FILTER];

/** Stored columns with fixed numbers, by key. */
export const CORE_COLUMNS: Readonly<Record<string, number>> = {
  event_type: EVENT_TYPE,
  user_id: USER_ID,
  device_id: DEVICE_ID,
  session_id: SESSION_ID,
};

export const HOUR_MS = 3_600_000;
