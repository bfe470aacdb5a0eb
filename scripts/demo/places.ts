/** Where the demo's people live. */
import { Choice } from './random.ts';

export interface Place {
  readonly country: string;
  readonly language: string;
  /** Hours to add to UTC; the demo has no summer time. */
  readonly offset: number;
  /** First three bytes of addresses (ranges reserved for documentation). */
  readonly network: string;
}

export const places = new Choice<Place>([
  [place('US', 'en-US', -5, '198.51.100'), 24],
  [place('US', 'en-US', -8, '198.51.100'), 10],
  [place('GB', 'en-GB', 0, '203.0.113'), 13],
  [place('DE', 'de-DE', 1, '203.0.113'), 14],
  [place('FR', 'fr-FR', 1, '203.0.113'), 8],
  [place('NL', 'nl-NL', 1, '203.0.113'), 5],
  [place('ES', 'es-ES', 1, '203.0.113'), 4],
  [place('IN', 'en-IN', 5.5, '192.0.2'), 9],
  [place('BR', 'pt-BR', -3, '198.51.100'), 5],
  [place('CA', 'en-CA', -5, '198.51.100'), 4],
  [place('AU', 'en-AU', 10, '192.0.2'), 3],
  [place('JP', 'ja-JP', 9, '192.0.2'), 1],
]);

function place(country: string, language: string, offset: number, network: string): Place {
  return { country, language, offset, network };
}
