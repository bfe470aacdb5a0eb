/** The formats that `wl import` reads, in the order in which a first record is tried against them. */
import type { ImportFormat } from '../format.ts';
import { amplitude } from './amplitude.ts';
import { csv } from './csv.ts';
import { ga4 } from './ga4.ts';
import { mixpanel } from './mixpanel.ts';
import { ndjson } from './ndjson.ts';
import { plausible } from './plausible.ts';
import { posthog } from './posthog.ts';
import { segment } from './segment.ts';
import { umami } from './umami.ts';

export const IMPORT_FORMATS: readonly ImportFormat[] = [
  mixpanel,
  segment,
  amplitude,
  posthog,
  ga4,
  plausible,
  umami,
  ndjson,
  csv,
];
