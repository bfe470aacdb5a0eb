/** User agent → browser, system and device. */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { MAX_USER_AGENT } from '../normalise/limits.ts';
import { cutText } from '../normalise/text.ts';
import type { EnrichedField } from './enriched.ts';
import { remembered } from './remembered.ts';

/** A site sees a few thousand user agents; an entry takes about 1 KB, at most 3. */
const describe = remembered({ entries: 4096, keyLength: MAX_USER_AGENT }, fieldsOf);

/**
 * The fields that a user agent reveals: `_browser`, `_browser_version`, `_os`, `_os_version`, `_device_type` (`desktop`,
 * `mobile`, `tablet`, `tv`, or `bot` for whatever calls itself one and for HTTP tools), `_platform` (`web` for browsers, `ios`
 * and `android` for the HTTP libraries of apps there) and `_ua`, the text itself (1,024 units).
 */
export function userAgentFields(userAgent: string): readonly EnrichedField[] {
  return describe(cutText(userAgent.trim(), MAX_USER_AGENT).toWellFormed());
}

function fieldsOf(userAgent: string): readonly EnrichedField[] {
  if (userAgent === '') return [];
  const { browser, os, platform } = Bowser.parse(userAgent);
  const bot = isbot(userAgent);
  const system = platformOf(userAgent);
  const app = system === 'ios' || system === 'android'; // then the browser's name is that of the app or the library
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['_browser', app ? undefined : browser.name],
    ['_browser_version', app ? undefined : browser.version],
    ['_os', os.name],
    ['_os_version', os.name === 'Windows' ? (os.versionName ?? os.version) : os.version],
    ['_device_type', bot ? 'bot' : platform.type],
    ['_platform', bot && !app ? undefined : system],
    ['_ua', userAgent],
  ];
  return fields.flatMap(([column, text]) => (text ? [[column, text] as const] : []));
}

function platformOf(userAgent: string): string | undefined {
  if (/\bCFNetwork\//.test(userAgent)) return 'ios';
  if (/^(?:Dalvik|okhttp)\//.test(userAgent)) return 'android';
  return /^(?:Mozilla|Opera)\//.test(userAgent) ? 'web' : undefined;
}
