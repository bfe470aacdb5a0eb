/** What can be configured. */
import { masked, type Found, type Settings } from '../client/settings.ts';

export const NAMES = ['api-key', 'host'] as const;

export type Name = (typeof NAMES)[number];

/** The value that commands here would use, masked; null: there is none. */
export function shownSetting(settings: Settings, name: Name): Found | null {
  if (name === 'host') return settings.host;
  const key = settings.anyApiKey;
  return key === null ? null : { ...key, value: masked(key.value) };
}
