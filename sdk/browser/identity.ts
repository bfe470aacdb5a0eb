/** Who is here: the device, the session, the user. */
import { uuidv7 } from '../core/uuid.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';

/** Milliseconds without an event after which a session ends. */
export const IDLE_MS = 1_800_000;
/** The longest that browsers keep a cookie, in seconds. */
const COOKIE_SECONDS = 34_560_000;

export interface Identity {
  /** Undefined if nothing may be stored: then the server identifies devices per day. */
  device(): string | undefined;
  /** The user's id. */
  who(): string | undefined;
  setUser(id: string): void;
  /** The session of an event at that time, which keeps it going; without a time, the current one, if it has not ended. */
  session(time?: number): string | undefined;
  /** Starts over with another device. */
  renew(): void;
  /** Removes what is outside the store. */
  forget(): void;
}

/** `agreed`: whether a cookie may be set now. */
export function createIdentity(store: Store, { storage, cookieDomain }: Settings, agreed: () => boolean): Identity {
  const named = storage !== 'none';
  /** The device in the cookie, once it is set to `id` for `seconds`; undefined without one, or in a sandbox, where this throws. */
  const cookie = (id?: string, seconds?: number): string | undefined => {
    try {
      if (!cookieDomain) return undefined;
      const secure = location.protocol === 'https:' ? ';Secure' : '';
      if (id !== undefined)
        document.cookie = `wl=${id};Domain=${cookieDomain};Path=/;SameSite=Lax;Max-Age=${seconds}${secure}`;
      return /(?:^|; )wl=([\w-]{36})/.exec(document.cookie)?.[1];
    } catch {
      return undefined;
    }
  };
  const setDevice = (id: string): string => {
    store.set('device', id);
    if (agreed()) cookie(id, COOKIE_SECONDS);
    return id;
  };
  return {
    // The cookie wins: another subdomain may have another device since. It is set again, so that it lives on.
    device: () => (named ? setDevice(cookie() ?? store.get('device') ?? uuidv7()) : undefined),
    who: () => store.get('user') ?? undefined,
    setUser: (id) => store.set('user', id),
    session(time) {
      if (!named) return undefined;
      const [last = 0, known] = (store.get('session') ?? '').split(' ');
      // A session from the future is over too: the clock was set back.
      const current = Math.abs((time ?? Date.now()) - +last) <= IDLE_MS ? known : undefined;
      if (time === undefined) return current;
      const id = current ?? uuidv7();
      store.set('session', `${current ? Math.max(time, +last) : time} ${id}`);
      return id;
    },
    renew() {
      for (const key of ['user', 'session', 'first', 'last']) store.remove(key);
      if (named) setDevice(uuidv7());
    },
    forget: () => void cookie('', 0),
  };
}
