import type { Config } from '../base/config/config.ts';
import { descriptorLimit, planDescriptors } from '../base/config/descriptors.ts';
import { memoryShares } from '../base/config/memory-shares.ts';
import { StoreThreads } from '../store/store-threads.ts';

/** How the embedded store shares memory and files among its threads. */
export function shareOut(config: Config) {
  const { openShards, readShards } = planDescriptors(descriptorLimit(), config);
  return { ...config, ...memoryShares(config.memory, config.writers), openShards, readShards, folder: config.data };
}

/** Starts the store's threads, which takes them longer than the rest of the service. null: the store has none. */
export function startThreads(config: Config): StoreThreads | null {
  return config.store === null ? new StoreThreads(shareOut(config)) : null;
}
