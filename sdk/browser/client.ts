/** What the script does once the page is visited: record, keep, send. */
import { createDelivery } from '../core/delivery.ts';
import { adopt, createLock } from './adoption.ts';
import type { Properties } from './capture.ts';
import { cleanUrl } from './capture.ts';
import { createIdentity } from './identity.ts';
import { watchPageViews } from './page-views.ts';
import { createQueue } from './queue.ts';
import { createRecorder } from './recorder.ts';
import type { Settings } from './settings.ts';
import { isOn } from './settings.ts';
import { createStore } from './store.ts';
import { noteTouch } from './touch.ts';
import { createPost } from './transport.ts';
import type { Before, Ids, ProfileOperations } from './windlass.ts';

/** Most events that wait for consent; the first ones tell where somebody came from, so later ones are dropped. */
const MOST_WAITING = 50;

export interface Surroundings {
  /** Name and version of the script, for events. */
  readonly maker: string;
  readonly log: (...words: unknown[]) => void;
  /** Wraps a function so that it never throws. */
  readonly safe: <A extends unknown[], T>(act: (...args: A) => T) => (...args: A) => T | undefined;
  readonly hook: () => Before | undefined;
}

export type Client = ReturnType<typeof createClient>;

/** Starts at once, with a page view if the page wants those. */
export function createClient(settings: Settings, { maker, log, safe, hook }: Surroundings) {
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
  const recorder = createRecorder({ queue, store, identity, maker, env: settings.env, hook });
  const delivery = createDelivery({
    queue,
    post: createPost(settings, () => leaving),
    onTrouble: (status, items) => log('answer', status, 'to', items),
    allowed: isIn,
  });
  const flush = (): Promise<void> => delivery.flush();
  let leaving = false;
  let page: string | undefined;
  let previous: string | undefined;

  const track = (eventType: string, properties?: Properties, time = Date.now()): void => {
    if (consent() === 'out' || isBlank(eventType) || (decided === 'wait' && queue.size() >= MOST_WAITING)) return;
    recorder.event(eventType, properties, time, previous);
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
    page = cleanUrl(location.href);
    if (consent() !== 'out') noteTouch(store);
    track('page_view', {}, time);
  });
  const settle = isOn(settings.auto, true) ? watchPageViews(view, isOn(settings.spa, true)) : undefined;
  const leave = safe(() => {
    settle?.();
    leaving = true;
    delivery.spill();
    leaving = false;
  });
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : arrive()));
  addEventListener('pagehide', leave);
  addEventListener('pageshow', arrive);
  addEventListener('online', () => void flush());

  return {
    track,
    flush,
    identify(userId: string, properties?: Properties, operations?: ProfileOperations) {
      if (consent() === 'out' || isBlank(userId)) return;
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

/** Pages in JavaScript may pass anything. */
function isBlank(text: string | null | undefined): boolean {
  return !/\S/.test(text ?? '');
}

/** Do Not Track and Global Privacy Control, if the page respects them. */
function asksForNone({ respectDnt }: Settings): boolean {
  return isOn(respectDnt) && (navigator.doNotTrack === '1' || navigator.globalPrivacyControl === true);
}
