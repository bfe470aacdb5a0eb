/** What the script does once the page is visited: record, keep, send. */
import { createDelivery } from '../core/delivery.ts';
import { adopt, createLock } from './adoption.ts';
import type { Properties } from './capture.ts';
import { cleanUrl } from './address.ts';
import { createIdentity } from './identity.ts';
import { watchPageViews } from './page-views.ts';
import { createQueue } from './queue.ts';
import { createRecorder } from './recorder.ts';
import type { Settings } from './settings.ts';
import { isOn } from './settings.ts';
import { createStore } from './store.ts';
import { noteTouch } from './touch.ts';
import { createPost } from './transport.ts';
import type { Surroundings } from './surroundings.ts';
import type { Ids, ProfileOperations } from './windlass.ts';

/** Most events that wait for consent; the first ones tell where somebody came from, so later ones are dropped. */
const MOST_WAITING = 50;

export type Client = ReturnType<typeof createClient>;

/** Starts at once, with a page view if the page wants those. */
export function createClient(settings: Settings, surroundings: Surroundings) {
  const { log, safe } = surroundings;
  const kept = (settings.storage ?? 'local') === 'local';
  const prefix = `wl.${settings.key.slice(3, 11)}.`;
  const decisions = createStore(prefix, () => kept);
  let decided = asksForNone(settings) ? 'out' : (settings.consent ?? 'in');
  /** `in`, `out`, or `wait`: the newest decision, which may be from another tab. */
  const consent = (): string => (decided = decisions.get('consent') ?? decided);
  const isIn = (): boolean => consent() === 'in';
  const store = createStore(prefix, () => kept && isIn());
  const queue = createQueue(store);
  const takeLock = createLock(queue.page);
  const identity = createIdentity(store, settings, isIn);
  const recorder = createRecorder({ queue, store, identity }, settings, surroundings);
  const post = createPost(settings, () => leaving);
  const delivery = createDelivery({ queue, post, onTrouble: log, allowed: isIn });
  const flush = (): Promise<void> => delivery.flush();
  let leaving = false;
  let page: string | undefined;
  let previous: string | undefined;
  const address = (): string | undefined => cleanUrl(location.href, isOn(settings.hash));

  const track = (eventType: string, properties?: Properties, time = Date.now()): void => {
    if (consent() === 'out' || (decided === 'wait' && queue.size() >= MOST_WAITING)) return;
    mustBeNamed(eventType);
    recorder.event(eventType, properties, time, { url: address(), previous_url: previous });
    log(eventType, properties);
    delivery.added();
  };
  const arrive = safe(() => {
    takeLock();
    if (isIn()) adopt(store, queue, flush);
  });

  arrive();
  const view = safe((time: number) => {
    previous = page;
    page = address();
    if (consent() !== 'out') noteTouch(store);
    track('page_view', {}, time);
  });
  const settle = isOn(settings.auto, true) ? watchPageViews(view, address, isOn(settings.spa, true)) : undefined;
  const leave = safe(() => {
    settle?.();
    leaving = true;
    delivery.spill();
    leaving = false;
  });
  whenLeft(leave, arrive);
  addEventListener('online', () => void flush());

  return {
    track,
    flush,
    identify(userId: string, properties?: Properties, operations?: ProfileOperations) {
      if (consent() === 'out') return;
      mustBeNamed(userId);
      recorder.identify(userId, properties, operations);
      log('identify', userId);
      delivery.added();
    },
    reset() {
      void flush();
      identity.renew();
    },
    optIn() {
      decisions.set('consent', 'in');
      store.persist();
      identity.device(); // into the cookie
      arrive();
      delivery.added();
    },
    optOut() {
      for (const place of [store, decisions]) for (const key of place.keys()) place.remove(key);
      identity.forget();
      decisions.set('consent', 'out');
    },
    store,
    ids: (): Ids => ({ device_id: identity.device(), user_id: identity.who(), session_id: identity.session() }),
  };
}

/** A page that is hidden may not come back; one from the back/forward cache does. */
function whenLeft(leave: () => void, arrive: () => void): void {
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : arrive()));
  addEventListener('pagehide', leave);
  addEventListener('pageshow', arrive);
}

/** Pages in JavaScript may pass anything. Throws if it is nothing. */
function mustBeNamed(text: string | null | undefined): void {
  if (!/\S/.test(text ?? '')) throw new Error('no event type or user id');
}

/** Do Not Track and Global Privacy Control, if the page respects them. */
function asksForNone({ respectDnt }: Settings): boolean {
  return isOn(respectDnt) && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl === true);
}
