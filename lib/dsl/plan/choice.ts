/** The events that say who saw which variant of a choice. */
import type { Field } from './plan.ts';

export const EXPOSURE = 'choice.exposure';
export const CHOICE_KEY: Field = { kind: 'event', path: 'choice_key' };
export const VARIANT_KEY: Field = { kind: 'event', path: 'variant_key' };
