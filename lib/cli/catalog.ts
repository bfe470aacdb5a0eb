/** The commands of `wl`. Each is loaded only when the command line names it, so that none waits for the others. */
import type { Command } from './command.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  load(): Promise<Command>;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'serve',
    summary: 'Run the service',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'admin',
    summary: 'Manage the data folder of a service on this machine',
    load: async () => (await import('./admin/admin.ts')).admin,
  },
  {
    name: 'version',
    summary: 'Show the version',
    load: async () => (await import('./version.ts')).version,
  },
];
