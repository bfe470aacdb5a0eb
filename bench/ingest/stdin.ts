/** `wl track --stdin` beside curl, which streams the same file: whole programs, from their start to their end. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../folder.ts';
import { firstLines } from './bodies.ts';
import type { Target } from './process.ts';

export interface StdinResult {
  /** Seconds of each. */
  readonly curl: number;
  readonly wl: number;
}

/** Sends the first `events` lines of a file to a project each. @param wl The program. */
export async function measureStdin(
  [curled, tracked]: readonly [Target, Target],
  { file, events, wl }: { readonly file: string; readonly events: number; readonly wl: string },
): Promise<StdinResult> {
  const folder = temporaryFolder();
  try {
    const lines = join(folder, 'events.ndjson');
    writeFileSync(lines, `${(await firstLines(file, events)).join('\n')}\n`, 'latin1');
    const headers = ['-H', `X-API-Key: ${curled.key}`, '-H', 'Content-Type: application/x-ndjson'];
    const stream = ['curl', '-sS', `${hostOf(curled)}/track`, ...headers, '--data-binary', `@${lines}`];
    const track = [process.execPath, wl, 'track', '--stdin', '--json', '--host', hostOf(tracked)];
    return {
      curl: await secondsOf(stream, lines, events),
      wl: await secondsOf([...track, '--api-key', tracked.key], lines, events),
    };
  } finally {
    removeFolder(folder);
  }
}

const hostOf = ({ host, port }: Target): string => `http://${host}:${port}`;

/** Throws unless its JSON says that all events were accepted. */
async function secondsOf([program, ...args]: readonly string[], input: string, events: number): Promise<number> {
  const stdin = openSync(input, 'r');
  const begun = performance.now();
  const told = await new Promise<string>((resolve, reject) => {
    const child = spawn(program!, args, { stdio: [stdin, 'pipe', 'inherit'] });
    let text = '';
    child.stdout!.setEncoding('utf8').on('data', (part: string) => (text += part));
    child.once('error', reject).once('close', () => resolve(text));
  });
  const seconds = (performance.now() - begun) / 1_000;
  closeSync(stdin);
  const answer: { accepted?: number } = JSON.parse(told);
  if (answer.accepted !== events) throw new Error(`${program} told ${told} instead of ${events} events accepted`);
  return seconds;
}
