/** What the page wants: attributes of the script's tag, else `window.wlConfig`, else the query string of the script's address. */
import type { Before } from './windlass.ts';

/** As texts, since attributes are; a page may give numbers and booleans as well. `data-choice-seed` is `choiceSeed` here. */
export interface Settings {
  readonly key: string;
  /** Where the service is, without a slash at the end. */
  readonly host: string;
  /** Paths below it, where a host calls them otherwise than `/track` and `/identify`. */
  readonly track?: string;
  readonly identify?: string;
  /** `wait`: nothing is stored or sent until `optIn`. */
  readonly consent?: string;
  /** Whether pages are seen by themselves; whether also where a page changes its own address. On, unless switched off. */
  readonly auto?: Switch;
  readonly spa?: Switch;
  readonly env?: string;
  readonly choiceSeed?: string;
  /** Left out: localStorage. */
  readonly storage?: 'local' | 'memory' | 'none';
  readonly cookieDomain?: string;
  readonly respectDnt?: Switch;
  readonly debug?: Switch;
  readonly before?: Before;
}

export type Switch = boolean | string;

/** Whether a switch is on. `data-debug` alone is: its text is empty. */
export function isOn(value: Switch | undefined, usual = false): boolean {
  return value === undefined ? usual : !/^(?:false|0|off)$/.test(`${value}`);
}

/** @param script the tag, where there is one; the host is where it came from, if nothing else is said */
export function readSettings(config: Partial<Settings>, script?: HTMLScriptElement | null): Settings {
  const given: Record<string, unknown> = {};
  if (script) {
    const { origin, searchParams } = new URL(script.src);
    given['host'] = origin;
    for (const [name, value] of searchParams) {
      given[name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())] = value;
    }
  }
  if (script) Object.assign(given, config, script.dataset);
  const settings = { key: '', host: '', ...config, ...given };
  return { ...settings, host: settings.host.replace(/\/+$/, '') };
}
