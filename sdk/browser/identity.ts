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
  user(): string | undefined;
  setUser(id: string): void;
  /** The session of an event at that time, which keeps it going; without a time, the current one. */
  session(time?: number): string | undefined;
  /** Starts over with another device. */
  renew(): void;
  /** Removes what is outside the store. */
  forget(): void;
}

export function createIdentity(store: Store, { storage, cookieDomain }: Settings): Identity {
  const named = storage !== 'none';
  const writeCookie = (id: string, seconds: number): void => {
    if (!cookieDomain) return;
    const secure = location.protocol === 'https:' ? ';Secure' : '';
    document.cookie = `wl=${id};Domain=${cookieDomain};Path=/;SameSite=Lax;Max-Age=${seconds}${secure}`;
  };
  const readCookie = (): string | undefined =>
    cookieDomain ? /(?:^|; )wl=([\w-]{36})/.exec(document.cookie)?.[1] : undefined;
  const setDevice = (id: string): string => {
    store.set('device', id);
    writeCookie(id, COOKIE_SECONDS);
    return id;
  };
  return {
    device: () => (named ? (store.get('device') ?? setDevice(readCookie() ?? uuidv7())) : undefined),
    user: () => store.get('user') ?? undefined,
    setUser: (id) => store.set('user', id),
    session(time) {
      if (!named) return undefined;
      const [last = 0, known] = (store.get('session') ?? '').split(' ');
      if (time === undefined) return known;
      const id = known && time - +last <= IDLE_MS ? known : uuidv7();
      store.set('session', `${Math.max(time, +last)} ${id}`);
      return id;
    },
    renew() {
      for (const key of ['user', 'session', 'first', 'last']) store.remove(key);
      if (named) setDevice(uuidv7());
    },
    forget: () => writeCookie('', 0),
  };
}
