import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { viewerAssets, viewerPage } from '../../dashboards/page/viewer-page.ts';
import { clientCommand } from '../client/client-command.ts';
import { ClientError, keyHints } from '../client/client-error.ts';
import { wholeNumberOption, flag, required } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { annotationsOn, askServer, cohortsOn } from './ask-server.ts';
import { ViewServer } from './view-server.ts';
import { ViewedDashboards } from './viewed-dashboards.ts';

export const dashboardView = clientCommand({
  usage: 'view',
  summary: 'Show dashboards in a local browser, and reload them when their files change',
  examples: [
    ['wl dashboard view --file growth.yaml --open', 'until Ctrl-C'],
    ['wl dashboard view --file dashboards', 'every file in a folder, sorted by `order`'],
  ],
  options: {
    file: required('A file, or a folder of files'),
    open: flag('Open the browser'),
    port: { type: 'number', default: 0, requiresArg: true, describe: 'Port to listen on; 0 picks a free one' },
  },
  completes: { file: 'file' },
  run: async ({ file, open, port }, { api, settings, output, terminal, signal }) => {
    if (settings.apiKey === null) throw new ClientError(`No API key is set for ${api.host}.`, keyHints('query'));
    const dashboards = await ViewedDashboards.open(file, signal);
    const parts = {
      dashboards,
      ask: askServer(api),
      cohorts: cohortsOn(api),
      annotations: annotationsOn(api),
      page: viewerPage(),
      assets: viewerAssets(),
    };
    const server = await ViewServer.start(parts, wholeNumberOption('port', port, 0, 65_535));
    try {
      if (output.format === 'json') terminal.printJson({ url: server.url });
      else terminal.print(server.url);
      terminal.say('wl: keep this address to yourself; press Ctrl-C to stop');
      if (open) openBrowser(server.url, terminal);
      if (!signal.aborted) await once(signal, 'abort'); // the user interrupts: that is no failure here
    } finally {
      dashboards.close();
      server.close();
    }
  },
});

function openBrowser(url: string, terminal: Terminal): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => terminal.say(`wl: could not open a browser with ${program}: open the address yourself`));
  child.unref();
}

const OPENERS: Partial<Readonly<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
