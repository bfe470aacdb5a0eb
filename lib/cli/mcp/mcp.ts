/** `wl mcp`: for agents that start a program. The tools are the server's: messages go to its /mcp, answers come back. */
import { flag } from '../command.ts';
import { ClientError, keyHints } from '../client/client-error.ts';
import { clientCommand } from '../client/client-command.ts';
import { stdinChunks } from '../client/stdin.ts';
import { LineSplitter } from '../track/lines.ts';
import { Relay } from './relay.ts';

export const mcp = clientCommand({
  usage: 'mcp',
  summary: 'Serve an agent: the Model Context Protocol on stdin and stdout',
  examples: [
    ['claude mcp add windlass -- wl mcp', 'add it to an agent'],
    ['wl mcp --write', 'with tools that store events'],
  ],
  options: { write: flag('Also offer the tools that store events: track and identify') },
  run: async ({ write }, { api, settings, terminal, signal }) => {
    if (settings.apiKey === null) throw new ClientError(`No API key is set for ${api.host}.`, keyHints('query'));
    const relay = new Relay({ api, writes: write, signal, print: (line) => terminal.print(line) });
    const lines = new LineSplitter();
    for await (const chunk of stdinChunks(signal)) for (const line of lines.push(chunk)) await relay.take(line);
    for (const line of lines.end()) await relay.take(line);
    await relay.end();
  },
});
