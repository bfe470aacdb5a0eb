/** `windlass-client/choice`: picks the variants that pages get, on a server. */
export type { Choosing, Variants } from '../core/choose.ts';
export { choose } from '../core/choose.ts';

/** The event that says who saw a variant; pass it to `track` with ids. */
export function exposure(key: string, variant: string) {
  return { event_type: 'choice.exposure', event_properties: { choice_key: key, variant_key: variant } } as const;
}
