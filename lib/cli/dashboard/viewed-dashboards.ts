/** The viewed dashboards, as their files are now. */
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Dashboard } from '../../dashboards/dashboard.ts';
import { type Problem, atStart } from '../../dashboards/problem.ts';
import { ClientError } from '../client/client-error.ts';
import { isDashboardName, isFolder, readDashboards, type DashboardFile } from './dashboard-file.ts';

export interface ViewedDashboard {
  /** In the address: the id in the file, or its name if it has none. */
  readonly id: string;
  readonly file: string;
  readonly title: string;
  readonly order: number | null;
  /** null: `problems` says why. */
  readonly dashboard: Dashboard | null;
  readonly problems: readonly Problem[];
}

export class ViewedDashboards {
  readonly #path: string;
  readonly #watcher: FSWatcher;
  readonly #signal: AbortSignal;
  readonly #listeners = new Set<(ids: readonly string[]) => void>();
  /** The last valid state of each file: one being written keeps its address and position. */
  readonly #sound = new Map<string, Dashboard>();
  #files: readonly DashboardFile[];
  #timer: NodeJS.Timeout | undefined;
  /** Reads run one after the other. */
  #reading: Promise<void> = Promise.resolve();

  private constructor(
    path: string,
    files: readonly DashboardFile[],
    { folder, signal }: { folder: boolean; signal: AbortSignal },
  ) {
    this.#path = path;
    this.#files = files;
    this.#signal = signal;
    const only = folder ? null : basename(path);
    // Watches the folder even for a single file: editors replace the file.
    this.#watcher = watch(folder ? path : dirname(path), (_event, name) => {
      if (name === null || (only === null ? isDashboardName(name) : name === only)) this.#schedule();
    });
    this.#watcher.on('error', () => undefined); // what is shown stays
  }

  /** Reads a file, or a folder of files. Throws ClientError if there is nothing to read. */
  static async open(path: string, signal: AbortSignal): Promise<ViewedDashboards> {
    if (path === '-') throw new ClientError('stdin cannot be watched: name a file or a folder.');
    return new ViewedDashboards(path, await readDashboards(path, signal), { folder: await isFolder(path), signal });
  }

  /** By `order`, then by title. */
  list(): readonly ViewedDashboard[] {
    const taken = new Set<string>();
    for (const { file, checked } of this.#files)
      if (checked.dashboard !== null) this.#sound.set(file, checked.dashboard);
    const viewed = this.#files.map((file) => viewedAs(file, taken, this.#sound.get(file.file)));
    return viewed.toSorted((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity) || a.title.localeCompare(b.title));
  }

  find(id: string): ViewedDashboard | null {
    return this.list().find((one) => one.id === id) ?? null;
  }

  /** Calls `listener` with ids of changed, added or removed files. Returns what stops it. */
  onChange(listener: (ids: readonly string[]) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#watcher.close();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#reading = this.#reading.then(() => this.#read());
    }, 60); // editors write a file in several steps
  }

  async #read(): Promise<void> {
    const before = this.#files;
    const idsBefore = new Map(this.list().map(({ file, id }) => [file, id]));
    try {
      this.#files = await readDashboards(this.#path, this.#signal);
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      const checked = { dashboard: null, problems: [atStart(error.message)] };
      this.#files = before.slice(0, 1).map(({ file }) => ({ file, text: '', checked })); // it may come back
    }
    const texts = new Map(before.map(({ file, text }) => [file, text]));
    const ids = new Map(this.list().map(({ file, id }) => [file, id]));
    const changed = this.#files
      .filter(({ file, text }) => texts.get(file) !== text)
      .map(({ file }) => ids.get(file) ?? file);
    const gone = [...idsBefore].flatMap(([file, id]) => (ids.has(file) ? [] : [id]));
    if (changed.length + gone.length > 0) for (const tell of this.#listeners) tell([...changed, ...gone]);
  }
}

function viewedAs(
  { file, checked: { dashboard, problems } }: DashboardFile,
  taken: Set<string>,
  sound: Dashboard | undefined,
): ViewedDashboard {
  const name = basename(file, extname(file));
  const wanted = sound?.id ?? name;
  const id = [wanted, name, basename(file)].find((one) => !taken.has(one)) ?? join(file);
  taken.add(id);
  const same = id === wanted ? [] : [atStart(`another file has the id "${wanted}", too`)];
  return {
    id,
    file,
    title: sound?.title ?? basename(file),
    order: sound?.order ?? null,
    dashboard,
    problems: [...problems, ...same],
  };
}
