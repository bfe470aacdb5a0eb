/** How the credit of a conversion is divided among its touches. */
import { DAY_MS } from '../../base/day.ts';

export const ATTRIBUTION_MODELS = ['first', 'last', 'linear', 'decay', 'position'] as const;

/**
 * Which touches have the credit: the first, the last, all in equal parts, each half as much for every HALF_LIFE that it lies before
 * another, or the first and the last OF_ENDS each and those between them the rest.
 */
export type AttributionModel = (typeof ATTRIBUTION_MODELS)[number];

/** Milliseconds. */
export const HALF_LIFE = 7 * DAY_MS;
/** Of three touches or more; of two each has half. */
export const OF_ENDS = 0.4;
