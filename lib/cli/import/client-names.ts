/** Systems, browsers, devices and platforms as other products call them → as the server calls what it finds in user agents. */

const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:mac|os ?x\b|intel mac)/i, 'macOS'],
  [/^windows phone/i, 'Windows Phone'],
  [/^windows/i, 'Windows'],
  [/^(?:apple )?(?:ios|iphone|ipad)/i, 'iOS'],
  [/^android/i, 'Android'],
  [/^(?:chrom(?:e|ium) ?os|cros)/i, 'Chrome OS'],
  [/^(?:gnu\/)?linux/i, 'Linux'],
];

const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:(?:mobile )?chrome(?: mobile)?(?: ios| webview)?|crios|chromium-webview|headless ?chrome)$/i, 'Chrome'],
  [/^(?:(?:mobile )?safari(?: mobile)?|ios(?:-webview)?|safari \(in-app\))$/i, 'Safari'],
  [/^(?:(?:mobile )?firefox(?: mobile)?(?: ios)?|fxios)$/i, 'Firefox'],
  [/^(?:microsoft )?edge(?:[ -](?:chromium|ios|mobile))?$/i, 'Microsoft Edge'],
  [/^samsung(?: internet| browser)?$/i, 'Samsung Internet for Android'],
  [/^(?:internet explorer(?: mobile)?|ie(?:mobile)?)$/i, 'Internet Explorer'],
  [/^opera(?:[ -](?:mini|mobile|touch))?$/i, 'Opera'],
  [/^yandex(?: ?browser)?$/i, 'Yandex Browser'],
  [/^uc ?browser$/i, 'UC Browser'],
  [/^(?:amazon )?silk$/i, 'Amazon Silk'],
  [/^android(?: browser| mobile)?$/i, 'Android Browser'],
];

const DEVICES: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^(?:desktop|laptop)$/i, 'desktop'],
  [/tv/i, 'tv'],
  [/ipad|tablet/i, 'tablet'],
  [/iphone|phone|mobile/i, 'mobile'],
];

const named = (names: typeof SYSTEMS, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1];

/** `Mac OS X` → `macOS`; `Windows 10` → `Windows`; unknown names stay. */
export const systemName = (text: unknown): string => named(SYSTEMS, String(text)) ?? String(text);

/** Whether a text names a system that is known, and not the model of a device. */
export const isSystem = (text: string): boolean => named(SYSTEMS, text) !== undefined;

/** Characters of a version, and of what may stand before it. */
const LONGEST_VERSION = 64;

/** `Android 12` → `12`, `Intel 10.15` → `10.15`; undefined if there is no number at the end. */
export const versionIn = (text: unknown): string | undefined =>
  /\d[\w.]*$/.exec(String(text).trim().slice(-LONGEST_VERSION))?.[0];

/** `edge-chromium` → `Microsoft Edge`; unknown names stay. */
export const browserName = (text: unknown): string => named(BROWSERS, String(text)) ?? String(text);

/** `Laptop` → `desktop`, `smart tv` → `tv`; unknown names stay, in lower case. */
export const deviceType = (text: unknown): string => named(DEVICES, String(text)) ?? String(text).toLowerCase();

/** `WEB` → `web`, `iOS` → `ios`. */
export const platformName = (text: unknown): string => String(text).toLowerCase();
