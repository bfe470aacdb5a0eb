/** A store of events that has none and takes none: what is asked of it is answered by `query`. */
import { formatPage } from '../dsl/format/page.ts';
import { AppError } from '../errors.ts';
import type {
  AppendResult,
  BulkStream,
  Catalog,
  DeviceBindings,
  EventStore,
  PageResult,
  StoreStats,
} from '../workers/event-store.ts';

export class EmptyStore implements EventStore {
  readonly query: EventStore['query'];

  constructor(query: EventStore['query']) {
    this.query = query;
  }

  async answer(...[project, plan, options]: Parameters<EventStore['answer']>): Promise<PageResult> {
    const { table, ...rest } = await this.query(project, plan, options);
    return { ...rest, page: formatPage(options.format, table, plan.zone) };
  }

  append(): Promise<AppendResult> {
    return Promise.reject(refused());
  }

  bulk(): BulkStream {
    throw refused();
  }

  catalog(): Promise<Catalog> {
    return Promise.resolve({ events: [], fields: [] });
  }

  extent(): Promise<null> {
    return Promise.resolve(null);
  }

  onUsage(): void {
    // There is none.
  }

  async *exportUser(): AsyncIterable<Uint8Array> {
    // Nobody is here.
  }

  eraseUser(): Promise<{ events: number; profiles: number; devices: number }> {
    return Promise.resolve({ events: 0, profiles: 0, devices: 0 });
  }

  device(): Promise<DeviceBindings | null> {
    return Promise.resolve(null);
  }

  unbindDevice(): Promise<boolean> {
    return Promise.resolve(false);
  }

  drop(): Promise<void> {
    return Promise.resolve();
  }

  stats(): StoreStats {
    const counts = { openShards: 0, cacheBytes: 0, journalBytes: 0, pendingRows: 0, queuedBytes: 0 };
    const damage = { journalDamagedFiles: 0, journalLostRecords: 0, journalLostBytes: 0 };
    return { ...counts, ...damage, workerRestarts: 0, seals: 0, sealSeconds: 0, compactions: 0 };
  }

  ready(): { readonly ok: boolean } {
    return { ok: true };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function refused(): AppError {
  return new AppError('storage_unavailable', 'this store takes no events');
}
