/** The commands of `wl`. Each is loaded only when the command line names it, so none slows the others. */
import type { Command } from './command.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** It uses the service's code, so the bundle of client commands lacks it. */
  readonly onServer?: boolean;
  /** `words`: of the command line, since a part of a command may be a package of its own. */
  load(words: readonly string[]): Promise<Command>;
}

export const CATALOG: readonly CatalogEntry[] = [
  entry('serve', 'Run the server', async () => (await import('./serve.ts')).serve, { onServer: true }),
  entry('admin', 'Manage a service: its data folder on this machine, or a host from afar with --host', async (words) => (await import('./admin/admin.ts')).adminFor(words), { onServer: true }),
  entry('query', 'Run a query, or a list of them', async () => (await import('./query/query.ts')).query, { aliases: ['q'] }),
  entry('explain', 'Show how a query runs: its plan and the time of each stage', async () => (await import('./query/query.ts')).explainCommand),
  entry('inspect', 'List the events of a project, or the fields of one event', async () => (await import('./query/query.ts')).inspect),
  entry('track', 'Send an event, or a file of events', async () => (await import('./track/track.ts')).track),
  entry('identify', 'Bind a device to a user, and change user properties', async () => (await import('./track/identify.ts')).identify),
  entry('events', 'Delete events, or undo an import', async () => (await import('./events/events.ts')).events),
  entry('import', 'Import files of other products, or any CSV and lines of JSON', async (words) => (await import('./import/import.ts')).importFor(words)),
  entry('choice', 'Experiments', async () => (await import('./choice/choice.ts')).choice),
  entry('alert', 'Questions that ask themselves, and tell when an answer is not as it should be', async () => (await import('./alert/alert.ts')).alert),
  entry('cohort', 'Saved conditions on people, for queries and dashboards', async () => (await import('./cohort/cohort.ts')).cohort),
  entry('annotation', 'What happened when, such as deploys: marks in the charts of dashboards', async () => (await import('./annotation/annotation.ts')).annotation),
  entry('dashboard', 'Write, check, run, view and store dashboards', async () => (await import('./dashboard/dashboard.ts')).dashboard),
  entry('mcp', 'Serve an agent: the Model Context Protocol on stdin and stdout', async () => (await import('./mcp/mcp.ts')).mcp),
  entry('project', 'Manage the projects of an organization', async () => (await import('./project/project.ts')).project),
  entry('export', 'Export events, bindings and profiles: to stdout, a file or a bucket', async () => (await import('./export/export.ts')).exportCommand),
  entry('gdpr', 'Export or erase the data of one user', async () => (await import('./gdpr/gdpr.ts')).gdpr),
  entry('health', 'Check the server; exits with 1 if it is down or not ready', async () => (await import('./health.ts')).health),
  entry('config', 'Save the server and the key for later commands', async () => (await import('./config/config.ts')).config),
  entry('completion', 'Print a shell script that completes commands, options and event names', async () => (await import('./completion/completion.ts')).completion),
  entry('help', 'Show help for a command, or for the query language with `query`', async () => (await import('./help/help.ts')).help),
  entry('version', 'Show the version', async () => (await import('./version.ts')).version),
]; // prettier-ignore

function entry(
  name: string,
  summary: string,
  load: CatalogEntry['load'],
  more: Partial<CatalogEntry> = {},
): CatalogEntry {
  return { name, summary, load, ...more };
}
