/** The events that say who saw which variant of a choice. */
import type { Field } from './plan.ts';

type Property = Extract<Field, { kind: 'event' }>;

export const EXPOSURE = 'choice.exposure';
export const CHOICE_KEY: Property = { kind: 'event', path: 'choice_key' };
export const VARIANT_KEY: Property = { kind: 'event', path: 'variant_key' };
