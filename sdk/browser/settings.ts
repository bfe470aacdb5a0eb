/** The page's settings: attributes of the script's tag, else `window.wlConfig`, else the query string of the script's address. */
import type { Before } from './windlass.ts';

/** Texts, like attributes; a page may also give numbers and booleans. `data-choice-seed` is `choiceSeed` here. */
export interface Settings {
  readonly key: string;
  /** Address of the service, without a trailing slash. */
  readonly host: string;
  /** Paths below it, if not `/track` and `/identify`. */
  readonly track?: string | undefined;
  readonly identify?: string | undefined;
  /** `wait`: nothing is stored or sent until `optIn`. */
  readonly consent?: string | undefined;
  /** Whether page views are automatic; whether also when a page changes its own address. On, unless switched off. */
  readonly auto?: Switch | undefined;
  readonly spa?: Switch | undefined;
  /** Whether fragments that begin like paths (`#/orders`) are pages of their own. */
  readonly hash?: Switch | undefined;
  readonly env?: string | undefined;
  readonly choiceSeed?: string | undefined;
  /** Default: localStorage. */
  readonly storage?: 'local' | 'memory' | 'none' | undefined;
  readonly cookieDomain?: string | undefined;
  readonly respectDnt?: Switch | undefined;
  readonly debug?: Switch | undefined;
  readonly before?: Before | undefined;
}

export type Switch = boolean | string;

/** Whether a switch is on. `data-debug` without a value is: its text is empty. */
export function isOn(value: Switch | undefined, usual = false): boolean {
  return value === undefined ? usual : !/^(?:false|0|off)$/.test(`${value}`);
}

/** @param script the tag, if there is one; the default host is where its script came from */
export function readSettings(config: Partial<Settings>, script?: HTMLScriptElement | null): Settings {
  const given: Record<string, string> = {};
  let home = '';
  if (script?.src) {
    const { origin, searchParams } = new URL(script.src);
    home = origin;
    for (const [name, value] of searchParams) {
      given[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())] = value;
    }
  }
  const settings: Partial<Settings> = Object.assign(given, config, script?.dataset);
  return { ...settings, key: settings.key ?? '', host: plainHost(settings.host ?? home) };
}

/** An address without slashes and blanks at its end. */
export function plainHost(address: string): string {
  return address.replace(/[\s/]+$/, '');
}
