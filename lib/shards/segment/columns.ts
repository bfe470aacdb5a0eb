/**
 * Numbers of the columns that every segment has. Table `fields` numbers the fields of projects from FIRST_FIELD on; negative
 * numbers are for the rows of event types: see type-rows.ts.
 */
export const COLUMN = {
  time: 1,
  arrival: 2,
  insertId: 3,
  eventType: 4,
  /** Also the number of the dictionary of user and device ids. */
  userId: 5,
  deviceId: 6,
  sessionId: 7,
  hours: 8,
  /** The filter over the insert ids that arrived in the last 7 days, and the arrival of each row: see insert-filter.ts. */
  insertFilter: 9,
  received: 10,
  /** The triples of rows, which other columns use to look up codes: see triples.ts. */
  triples: 11,
} as const;
export const FIRST_FIELD = 16;

/** Half of a shard, which hardly any question reads: they are not kept in memory when its file is closed. */
export const RARELY_READ: readonly number[] = [COLUMN.insertId, COLUMN.insertFilter];

/** Stored columns with fixed numbers, by key. */
export const CORE_COLUMNS: Readonly<Record<string, number>> = {
  event_type: COLUMN.eventType,
  user_id: COLUMN.userId,
  device_id: COLUMN.deviceId,
  session_id: COLUMN.sessionId,
};
