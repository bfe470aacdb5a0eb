/** The commands of `wl`. Each is loaded only when the command line names it, so that none waits for the others. */
import type { Command } from './command.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** It reaches into the service, and is no part of the bundle of client commands. */
  readonly onServer?: boolean;
  load(): Promise<Command>;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'serve',
    summary: 'Run the service',
    onServer: true,
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'admin',
    summary: 'Manage the data folder of a service on this machine',
    onServer: true,
    load: async () => (await import('./admin/admin.ts')).admin,
  },
  {
    name: 'version',
    summary: 'Show the version',
    load: async () => (await import('./version.ts')).version,
  },
];
