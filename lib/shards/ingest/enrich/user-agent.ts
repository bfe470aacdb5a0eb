/** User agent and client hints → browser, system and device. */
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { Lru } from '../../../base/lru.ts';
import type { ClientHints } from '../../request.ts';
import { cutText, MAX_USER_AGENT } from '../normalise/limits.ts';
import type { EnrichedText } from '../../event.ts';

/** A site sees a few thousand user agents; an entry takes about 1 KB, at most 5. */
const described = new Lru<string, readonly EnrichedText[]>(4096);

/**
 * The fields that a user agent reveals, with the client hints of the same request: `_browser`, `_browser_version`, `_os`,
 * `_os_version`, `_device_type` (`desktop`, `mobile`, `tablet`, `tv`, or `bot` for whatever calls itself one or is known as one),
 * `_platform` (`web` for browsers, `ios` and `android` for the HTTP libraries of apps there) and `_ua`, the text itself (1,024
 * units).
 */
export function userAgentFields(userAgent: string, hints?: ClientHints): readonly EnrichedText[] {
  const text = cutText(userAgent.trim(), MAX_USER_AGENT).toWellFormed();
  const key = hints === undefined ? text : JSON.stringify([text, hints]);
  const known = described.get(key);
  if (known !== undefined) return known;
  const made = fieldsOf(text, hints ?? {});
  described.set(key, made);
  return made;
}

function fieldsOf(userAgent: string, hints: ClientHints): readonly EnrichedText[] {
  if (userAgent === '') return [];
  const parsed = Bowser.parse(userAgent);
  const mayBe = BROWSER.test(userAgent) || CALLS_ITSELF_ONE.test(userAgent);
  const bot = mayBe && isbot(userAgent.replace('HeadlessChrome/', 'Chrome/'));
  const app = appOf(userAgent);
  const browser = LIBRARY.test(userAgent) ? null : browserOf(userAgent, hints, parsed.browser); // it would be the app's name
  const os = osOf(userAgent, hints, parsed.os);
  const text = hints.model === undefined ? userAgent : `${userAgent} ${hints.model}`;
  const mobile = hints.mobile === undefined ? undefined : hints.mobile === '?1';
  const type = bot ? 'bot' : deviceTypeOf({ text, os: os?.name, mobile, known: parsed.platform.type });
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['_browser', browser?.name],
    ['_browser_version', browser?.version],
    ['_os', os?.name],
    ['_os_version', os?.version],
    ['_device_type', type],
    ['_platform', bot && app === null ? undefined : (app ?? (BROWSER.test(userAgent) ? 'web' : undefined))],
    ['_ua', userAgent],
  ];
  return fields.flatMap(([column, value]) => (value ? [[column, value] as const] : []));
}

const BROWSER = /^(?:Mozilla|Opera)\//;
/**
 * Lists of bots have all that looks like no browser: apps with a name of their own, and libraries for HTTP, with which servers and
 * whoever tries Windlass send. So only what looks like a browser or says what it is counts as a bot. A headless browser does not:
 * tests of pages run in one.
 */
const CALLS_ITSELF_ONE = /bot\b|bot[-_/]|crawl|spider|slurp|preview|monitor|\+https?:|-user\b|\bai\b|novaact/i;

const LIBRARY = /^(?:Dalvik|okhttp)\/|\bCFNetwork\//;

function appOf(userAgent: string): 'ios' | 'android' | null {
  if (!LIBRARY.test(userAgent)) return null;
  if (!userAgent.includes('CFNetwork/')) return 'android';
  return userAgent.includes('(x86_64)') ? null : 'ios'; // else a Mac's
}

/** Browsers that the library takes for Chrome. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bHuaweiBrowser\/([\d.]+)/, 'Huawei Browser'],
  [/\bOculusBrowser\/([\d.]+)/, 'Oculus Browser'],
  [/\b(?:DuckDuckGo|Ddg)\/([\d.]+)/, 'DuckDuckGo'],
];
/** Names before versions that are the browser's, where `Version/` is that of the view it is made of, or is frozen. */
const OWN_VERSION =
  /\b(?:UCBrowser|SamsungBrowser|Whale|PaleMoon|Maxthon|MXiOS|Epiphany|Puffin|Sleipnir|K-Meleon|Opera Mini)[/ ](\d[\d.]*)/i;

function browserOf(
  userAgent: string,
  hints: ClientHints,
  found: { readonly name?: string | undefined; readonly version?: string | undefined },
): Named | null {
  for (const [pattern, name] of BROWSERS) {
    const match = pattern.exec(userAgent);
    if (match !== null) return { name, version: match[1] };
  }
  if (!found.name) return null;
  const branded = found.name === 'Chrome' ? brandOf(hints) : null;
  const version = OWN_VERSION.exec(userAgent)?.[1] ?? /\d[\w.]*/.exec(found.version ?? '')?.[0];
  return branded ?? { name: found.name, version };
}

/** Systems that the library does not know, with their names as agents write them. */
const SYSTEM = /\b(FreeBSD|OpenBSD|NetBSD|DragonFly|SunOS|Haiku|KAIOS|PlayStation 5)\b(?:\/(\d[\d.]*))?/;

/** Safari has the version of its system, and since 26 says 18 of the system itself. */
const IOS_FROM_26 = /\bVersion\/((?:2[6-9]|[3-9]\d)\b[\d.]*)/;

/** What the hints say wins: agents have frozen the versions of Windows, macOS and Android. */
function osOf(
  userAgent: string,
  hints: ClientHints,
  found: {
    readonly name?: string | undefined;
    readonly version?: string | undefined;
    readonly versionName?: string | undefined;
  },
): Named | null {
  const [, system, number] = SYSTEM.exec(userAgent) ?? [];
  const name = found.name ?? system;
  let version = found.name === undefined ? number : found.version;
  if (name === 'Windows') version = found.versionName ?? version;
  if (name === 'iOS') version = IOS_FROM_26.exec(userAgent)?.[1] ?? version;
  const inAgent = name === undefined ? null : { name, version };
  const hinted = systemOf(hints, name);
  if (hinted === null) return inAgent;
  return {
    name: hinted.name,
    version: hinted.version ?? (inAgent?.name === hinted.name ? inAgent.version : undefined),
  };
}

/** A name and a version, as fields hold them. */
export interface Named {
  readonly name: string;
  readonly version: string | undefined;
}

/** Browsers that say Chrome in their agent, by the brand that they add in the hints; the names are those of agents. */
const BRANDS: ReadonlyMap<string, string> = new Map([
  ['Brave', 'Brave'],
  ['DuckDuckGo', 'DuckDuckGo'],
  ['HuaweiBrowser', 'Huawei Browser'],
  ['Microsoft Edge', 'Microsoft Edge'],
  ['Opera', 'Opera'],
  ['Opera GX', 'Opera'],
  ['Opera Mobile', 'Opera'],
  ['Samsung Internet', 'Samsung Internet for Android'],
  ['Vivaldi', 'Vivaldi'],
  ['Yandex', 'Yandex Browser'],
  ['YaBrowser', 'Yandex Browser'],
]);

/** Systems that say so in hints, and their names as agents have them. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ['Android', 'Android'],
  ['Chrome OS', 'Chrome OS'],
  ['Chromium OS', 'Chrome OS'],
  ['iOS', 'iOS'],
  ['Linux', 'Linux'],
  ['macOS', 'macOS'],
  ['Windows', 'Windows'],
]);

const VERSION = /^\d+(?:\.\d+)*$/;

/** A member of the list in `Sec-CH-UA`: `"Brave";v="131"`. */
const BRAND = /"([^"]*)";\s*v="([^"]*)"/g;

/** The browser that the brands name; null if they name none but Chrome. */
export function brandOf({ brands = '' }: ClientHints): Named | null {
  for (const [, brand = '', version = ''] of brands.matchAll(BRAND)) {
    const name = BRANDS.get(brand);
    if (name !== undefined) return { name, version: VERSION.test(version) ? version : undefined };
  }
  return null;
}

/** The system that the hints name, or whose version they say, where the agent names it; null if there is none. */
export function systemOf(
  { platform = '', platformVersion = '' }: ClientHints,
  inAgent: string | undefined,
): Named | null {
  const name = SYSTEMS.get(platform) ?? inAgent;
  if (name === undefined) return null;
  if (!VERSION.test(platformVersion)) return { name, version: undefined };
  return { name, version: name === 'Windows' ? windowsVersion(platformVersion) : shortVersion(platformVersion) };
}

/** Windows numbers its programming interfaces: from 13 on they are those of Windows 11. */
function windowsVersion(platformVersion: string): string | undefined {
  const [major = 0, minor = 0] = platformVersion.split('.').map(Number);
  if (major > 0) return major >= 13 ? '11' : '10';
  return [undefined, '7', '8', '8.1'][minor];
}

/** `14.0.0` is `14`, as in agents. */
const shortVersion = (version: string): string => version.replace(/(?:\.0)+$/, '');

export type DeviceType = 'desktop' | 'mobile' | 'tablet' | 'tv';

export interface DeviceTraits {
  /** The user agent, followed by the model of the client hints if there is one. */
  readonly text: string;
  /** Name of the operating system. */
  readonly os: string | undefined;
  /** `Sec-CH-UA-Mobile`. */
  readonly mobile: boolean | undefined;
  /** What the library says. */
  readonly known: string | undefined;
}

/** Televisions, boxes and sticks for them, and consoles that are played on them. */
const TV =
  /\b(?:smart-?tv|(?:android|apple|google) ?tv|appletv\d+|web0s|netcast|hbbtv|bravia|viera|chromecast|crkey|roku|playstation \d|xbox|nintendo (?:switch|wiiu?)|mi ?box)\b/i;
/** Models of Fire TV. */
const FIRE_TV = /\bAFT[A-Z0-9]{1,6}\b/;
const HANDHELD = /\b(?:nintendo 3ds|playstation (?:vita|portable))\b/i;
/** Words and models that are tablets', for agents of apps, which have no `Mobile` to leave out. */
const TABLET = /\b(?:tablet(?! pc)|pad|tab|SM-[TX]\d|GT-P\d|Nexus (?:7|9|10)\b|Pixel C\b|KF[A-Z]{3,6}\b|Lenovo TB)/i;
const PHONE = /mobi|\bphone\b|opera mini/i;
const OF_DESKTOPS = /\b(?:CrOS|X11|(?:Free|Open|Net)BSD|DragonFly|SunOS|Haiku)\b|\(PC; OpenHarmony/;
/** The libraries with which apps for iOS and Android speak HTTP. */
const APP = /^(?:okhttp|Dalvik|ReactNative)\/|\bCFNetwork\//;

/** Undefined if nothing tells. Bots are none of these, and known otherwise. */
export function deviceTypeOf({ text, os, mobile, known }: DeviceTraits): DeviceType | undefined {
  if (TV.test(text) || FIRE_TV.test(text)) return 'tv';
  if (HANDHELD.test(text)) return 'mobile';
  if (os === 'Android') return ofAndroid(text, mobile);
  if (isDeviceType(known)) return known;
  if (OF_DESKTOPS.test(text)) return 'desktop';
  if (APP.test(text)) return text.includes('(x86_64)') ? 'desktop' : 'mobile'; // no iPhone has such a processor
  return mobile === true ? 'mobile' : undefined;
}

/** A browser leaves out `Mobile` on a tablet; apps do not say it on a phone either. */
function ofAndroid(text: string, mobile: boolean | undefined): DeviceType {
  if (TABLET.test(text)) return 'tablet';
  const isPhone = mobile ?? (PHONE.test(text) || !BROWSER.test(text));
  return isPhone ? 'mobile' : 'tablet';
}

function isDeviceType(text: string | undefined): text is DeviceType {
  return text === 'desktop' || text === 'mobile' || text === 'tablet' || text === 'tv';
}
