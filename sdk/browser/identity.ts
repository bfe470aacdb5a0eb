/** Who is here: the device, the session, the user. */
import { uuidv7 } from '../core/uuid.ts';
import type { Settings } from './settings.ts';
import type { Store } from './store.ts';

/** Milliseconds without an event that end a session. */
export const IDLE_MS = 1_800_000;
/** Seconds that browsers keep a cookie at most. */
const COOKIE_SECONDS = 34_560_000;

export interface Identity {
  /** Undefined where nothing may be stored: the server knows devices by the day then. */
  device(): string | undefined;
  user(): string | undefined;
  setUser(id: string): void;
  /** The session of an event of that moment, which keeps it going; without a moment, the one that is going on. */
  session(time?: number): string | undefined;
  /** Begins anew, with another device. */
  renew(): void;
  /** Leaves nothing behind outside of the store. */
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
