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
    summary: 'Run the server',
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
    name: 'query',
    aliases: ['q'],
    summary: 'Run a query, or a list of them',
    load: async () => (await import('./query/query.ts')).query,
  },
  {
    name: 'explain',
    summary: 'Show how a query runs: its plan and the time of each stage',
    load: async () => (await import('./query/explain.ts')).explain,
  },
  {
    name: 'inspect',
    summary: 'List the events of a project, or the fields of one event',
    load: async () => (await import('./query/inspect.ts')).inspect,
  },
  {
    name: 'track',
    summary: 'Send an event, or a file of events',
    load: async () => (await import('./track/track.ts')).track,
  },
  {
    name: 'identify',
    summary: 'Bind a device to a user, and change user properties',
    load: async () => (await import('./track/identify.ts')).identify,
  },
  {
    name: 'choice',
    summary: 'Experiments',
    load: async () => (await import('./choice/choice.ts')).choice,
  },
  {
    name: 'dashboard',
    summary: 'Write, check, run, view and store dashboards',
    load: async () => (await import('./dashboard/dashboard.ts')).dashboard,
  },
  {
    name: 'project',
    summary: 'Manage the projects of an organization',
    load: async () => (await import('./project/project.ts')).project,
  },
  {
    name: 'gdpr',
    summary: 'Export or erase the data of one user',
    load: async () => (await import('./gdpr/gdpr.ts')).gdpr,
  },
  {
    name: 'health',
    summary: 'Check the server; exits with 1 if it is down or not ready',
    load: async () => (await import('./health.ts')).health,
  },
  {
    name: 'config',
    summary: 'Save the server and the key for later commands',
    load: async () => (await import('./config/config.ts')).config,
  },
  {
    name: 'completion',
    summary: 'Print a shell script that completes commands, options and event names',
    load: async () => (await import('./completion/completion.ts')).completion,
  },
  {
    name: 'help',
    summary: 'Show help for a command, or for the query language with `query`',
    load: async () => (await import('./help/help.ts')).help,
  },
  {
    name: 'version',
    summary: 'Show the version',
    load: async () => (await import('./version.ts')).version,
  },
];
