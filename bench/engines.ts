/** The three engines, loaded with the same data set, behind one interface. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSet } from './data-set.ts';
import { openPeer, PEER_NAMES, type PeerName, type PeerProcess, type Row } from './peers/peer.ts';
import { questionText, type Question, type QuestionFile } from './questions.ts';
import { WindlassClient } from './windlass/client.ts';
import type { WindlassServer, Project } from './windlass/server.ts';

export type EngineName = 'windlass' | PeerName;
export const ENGINE_NAMES: readonly EngineName[] = ['windlass', ...PEER_NAMES];

/** An engine in a running process, loaded with the data set. */
export interface Engine {
  readonly name: EngineName;
  /** Runs a query whose range ends `days` earlier; milliseconds as its user would measure them. `stages`: if it tells where they went. */
  ask(question: Question, days: number): Promise<{ ms: number; rows: readonly Row[]; stages?: string }>;
  /** Invalidates answers that the engine may have cached. */
  forget(): Promise<void>;
  /** Bytes of resident memory. */
  memory(): Promise<number>;
  close(): Promise<void>;
}

/** Opens an engine on its files in a fresh process. */
export type OpenEngine = () => Promise<Engine>;

/** Loads a peer's database into the folder of the data set, unless an earlier run did with the same statements. */
export async function preparePeer(
  name: PeerName,
  data: DataSet,
  context: { file: QuestionFile; threads: number },
): Promise<OpenEngine> {
  const folder = join(data.folder, name);
  const loaded = join(folder, 'loaded');
  const schema = context.file.schema[name].create.join('\n');
  if (!existsSync(loaded) || readFileSync(loaded, 'utf8') !== schema) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const peer = await openPeer(name, folder, context.threads);
    const statements = context.file.schema[name].create.map((statement) =>
      statement.replaceAll('{events}', data.events).replaceAll('{bindings}', data.bindings),
    );
    await peer.request({ kind: 'run', statements });
    await peer.close();
    writeFileSync(loaded, schema);
  }
  const settings = name === 'clickhouse' ? context.file.schema.clickhouse.settings : '';
  return async () => peerEngine(name, await openPeer(name, folder, context.threads), settings);
}

function peerEngine(name: PeerName, peer: PeerProcess, settings: string): Engine {
  let rss = 0;
  return {
    name,
    ask: async (question, days) => {
      const answer = await peer.request({ kind: 'ask', statement: questionText(question, name, days, settings) });
      rss = answer.rss;
      return answer;
    },
    forget: async () => undefined, // neither peer caches answers
    memory: async () => rss,
    close: () => peer.close(),
  };
}

/** Windlass with a server that is already running. */
export async function windlassEngine(server: WindlassServer, project: Project): Promise<Engine> {
  const client = await WindlassClient.open(server, project);
  return {
    name: 'windlass',
    ask: (question, days) => client.ask(questionText(question, 'pipe', days), question.columns),
    forget: () => client.touch(),
    memory: async () => server.memory(),
    close: async () => {
      client.close();
      await server.stop();
    },
  };
}
