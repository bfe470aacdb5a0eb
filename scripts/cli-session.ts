/** The session of docs/cli.md: command lines on a real service, with their output. */
import { startClientService } from '../test/cli/client-service.ts';
import type { ClientService } from '../test/cli/client-service.ts';

const WEEK = 'from 2026-01-05 to 2026-01-12';

/** Command lines as a user types them, and their stdin. */
const LINES: readonly { readonly args: readonly string[]; readonly input?: string; readonly file?: string }[] = [
  { args: ['health'] },
  { args: ['track', 'signup', '--user-id', 'ann', '--prop', 'plan=pro', '--time', '2026-01-05T10:00:00Z'] },
  {
    args: ['track', '--stdin'],
    file: 'events.jsonl',
    input: [
      '{"event_type": "signup", "user_id": "bob", "time": "2026-01-06T09:00:00Z", "event_properties": {"plan": "free"}}',
      '{"event_type": "purchase", "user_id": "ann", "time": "2026-01-07T12:00:00Z", "event_properties": {"amount": 12.5}}',
      '{"event": "purchase"}',
    ].join('\n'),
  },
  { args: ['identify', '--user-id', 'ann', '--prop', 'country=DE', '--add', 'orders=1'] },
  { args: ['query', `signup | ${WEEK} | count by event_properties.plan`, '--format', 'table'] },
  { args: ['query', `funnel signup -> purchase | ${WEEK}`, '--format', 'csv'] },
  { args: ['query', '--query', `signup | ${WEEK} | count`, '--query', 'signup | coun'] },
  { args: ['gdpr', 'delete', 'ann'] },
  { args: ['track', 'signup', '--host', 'http://localhost:1'] },
];

/** As a console block: each line followed by its output, stderr last. */
export async function cliSession(): Promise<string> {
  const service = await startClientService();
  try {
    const parts: string[] = [];
    for (const line of LINES) parts.push(await partOf(service, line));
    return `\`\`\`console\n${parts.join('\n')}\`\`\`\n`;
  } finally {
    await service.stop();
  }
}

async function partOf(service: ClientService, { args, input, file }: (typeof LINES)[number]): Promise<string> {
  const { code, stdout, stderr } = await service.wl(args, input === undefined ? {} : { input });
  const typed = `$ wl ${args.map(shellWord).join(' ')}${file === undefined ? '' : ` < ${file}`}`;
  const shown = file === undefined ? '' : `$ cat ${file}\n${input ?? ''}\n`;
  const exit = code === 0 ? '' : `(exit code ${code})\n`;
  return `${shown}${typed}\n${steady(stdout, service.url)}${steady(stderr, service.url)}${exit}`;
}

/** Removes what differs from run to run: the port, and the time taken. */
function steady(text: string, url: string): string {
  return text
    .replaceAll(url, 'http://localhost:8080')
    .replaceAll(/, \d+ ms$/gm, ', 3 ms')
    .replaceAll('\r\n', '\n');
}

function shellWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `"${word}"`;
}
