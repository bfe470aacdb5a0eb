/** Where pages of events begin and end, so that the next one goes on there. */

/** The place of an event in the order of events, which `arrival` tells from others of its millisecond. */
export interface EventPlace {
  readonly time: number;
  readonly arrival: number;
}

/** The last row of a page, and whether others follow. `at`: its place (`placeText`), or the id of a profile or device. */
export interface Reached {
  readonly at: string;
  readonly more: boolean;
}

export const placeText = ({ time, arrival }: EventPlace): string => `${time}.${arrival}`;

const PLACE = /^(-?\d{1,16})\.(\d{1,16})$/;

/** null: the text is of no place. */
export function readPlace(text: string): EventPlace | null {
  const [time = NaN, arrival = NaN] = (PLACE.exec(text) ?? []).slice(1).map(Number);
  return Number.isSafeInteger(time) && Number.isSafeInteger(arrival) ? { time, arrival } : null;
}

/**
 * A page that goes on where another one ended. `newest`: as a list shows its rows, and counts them all; `time` and `arrival`: for
 * exports, the oldest or the first acknowledged first, as many as a page has room for, and none counted.
 */
export interface Onward {
  readonly order: 'newest' | 'time' | 'arrival';
  /** The event behind which the page begins; null: with the first one. */
  readonly after: EventPlace | null;
}
