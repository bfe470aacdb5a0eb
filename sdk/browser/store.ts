/** Where the script keeps texts between pages: localStorage, or memory where that is blocked, full, or not wanted. */

export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
  keys(): string[];
  /** Keeps what is in memory, and all that comes, in localStorage from now on. */
  persist(): void;
}

/** `prefix` stands before all keys. `kept`: in localStorage from the start. */
export function createStore(prefix: string, kept: boolean): Store {
  const memory = new Map<string, string>();
  /** What a function makes of localStorage; undefined where it is not wanted, blocked or full: then it throws. */
  const onDisk = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return kept ? use(localStorage) : undefined;
    } catch {
      return undefined;
    }
  };
  const store: Store = {
    get: (key) => memory.get(key) ?? onDisk((storage) => storage.getItem(prefix + key)) ?? null,
    set(key, value) {
      if (onDisk((storage) => (storage.setItem(prefix + key, value), true))) memory.delete(key);
      else memory.set(key, value);
    },
    remove(key) {
      memory.delete(key);
      onDisk((storage) => storage.removeItem(prefix + key));
    },
    keys() {
      const own = (onDisk(Object.keys) ?? []).filter((key) => key.startsWith(prefix));
      return [...new Set([...memory.keys(), ...own.map((key) => key.slice(prefix.length))])];
    },
    persist() {
      kept = true;
      for (const [key, value] of memory) store.set(key, value);
    },
  };
  return store;
}
