/** Keeps texts between pages: in localStorage, or in memory where that is blocked, full, or not wanted. */

export interface Store {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
  keys(): string[];
  /** Moves what is in memory to localStorage, once that may be used. */
  persist(): void;
}

/** `prefix` begins all keys. `kept`: whether localStorage may be used now. */
export function createStore(prefix: string, kept: () => boolean): Store {
  const memory = new Map<string, string>();
  /** Uses localStorage; undefined if it is not wanted, or throws because it is blocked or full. */
  const onDisk = <T>(use: (storage: Storage) => T): T | undefined => {
    try {
      return kept() ? use(localStorage) : undefined;
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
      return [...memory.keys(), ...own.map((key) => key.slice(prefix.length))];
    },
    persist() {
      for (const [key, value] of memory) store.set(key, value);
    },
  };
  return store;
}
