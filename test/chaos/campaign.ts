/** One life of a data folder under faults derived from a seed, checked against a record of what was acknowledged. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlDatabase } from '../../lib/control/database.ts';
import { wl } from '../cli/run-wl.ts';
import { Served } from '../support/served.ts';
import { faultFrom, FAULTS, type Fault } from './faults.ts';
import { pick, randomOf } from './random.ts';
import { judge, load, type Tenant, type Verdict } from './tenant.ts';

export interface CampaignOptions {
  readonly projects: number;
  /** Runs of the server that end with kill -9. */
  readonly kills: number;
  /** Bits flipped, each in a copy of the folder. */
  readonly flips: number;
}

export interface Outcome {
  readonly cycles: number;
  readonly acknowledged: number;
  /** Why the campaign failed; empty when it did not. */
  readonly failures: readonly string[];
  /** Of the flipped bits: how many changed nothing that was queried, and how many were reported. */
  readonly harmless: number;
  readonly told: number;
}

const SETTINGS = {
  ...{ WINDLASS_SEAL_ROWS: '200', WINDLASS_SEAL_AGE: '300ms', WINDLASS_SEGMENT_ROWS: '1024', WINDLASS_THREADS: '1' },
  ...{ WINDLASS_EVENTS_PER_MINUTE: '0', WINDLASS_QUERIES_PER_MINUTE: '0' },
};

/** Projects that have users erased. With more, journal rewrites in quick succession would hide the effects of a single one. */
const ERASING = 2;

export async function runCampaign(seed: number, options: CampaignOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-chaos-'));
  const random = randomOf(seed);
  try {
    const tenants = await makeTenants(folder, options.projects);
    const failures: string[] = [];
    for (let kill = 0; kill < options.kills; kill++) {
      const fault = pick(random, FAULTS);
      await live(folder, tenants, { fault, seed: seed * 31 + kill, time: 150 + random() * 600 });
      const verdicts = await judged(folder, tenants);
      failures.push(
        ...verdicts.flatMap((verdict, i) => (isGood(verdict) ? [] : [`${fault}: ${tell(tenants[i]!, verdict)}`])),
      );
    }
    const flips = { harmless: 0, told: 0 };
    for (let flip = 0; flip < options.flips; flip++) {
      await live(folder, tenants, { fault: 'none', seed, time: 100 + random() * 300 });
      const { what, result } = await flipped(folder, tenants, random);
      if (result === 'harmless' || result === 'told') flips[result]++;
      else failures.push(`${what}: ${result}`);
    }
    return { cycles: options.kills + options.flips, acknowledged: acknowledgedBy(tenants), failures, ...flips };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function acknowledgedBy(tenants: readonly Tenant[]): number {
  return tenants.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
}

async function makeTenants(folder: string, count: number): Promise<Tenant[]> {
  const control = await ControlDatabase.open(folder, { secret: null });
  const { organization } = await control.organizations.create('Org');
  const made = Array.from({ length: count }, async (_, n): Promise<Tenant> => {
    const { project, secretKey } = await control.projects.create(organization.id, `P${n}`, { name: 'chaos', ip: null });
    const record = {
      sent: new Set<number>(),
      acknowledged: new Set<number>(),
      identified: new Set<number>(),
      erased: new Set<string>(),
    };
    return { id: project.id, key: secretKey, ...record, next: 0 };
  });
  const tenants = await Promise.all(made);
  await control.close();
  return tenants;
}

/** Runs a server under load and a fault, and kills it after some time. */
async function live(
  folder: string,
  tenants: readonly Tenant[],
  { fault, seed, time }: { readonly fault: Fault; readonly seed: number; readonly time: number },
): Promise<void> {
  // Every other server leaves its events in the journal.
  const age = seed % 2 === 0 ? { WINDLASS_SEAL_AGE: '10m' } : {};
  const served = new Served(folder, { ...SETTINGS, ...age, ...faultFrom(fault, seed) });
  try {
    const url = await served.ready().catch((error: unknown) => {
      if (fault === 'none') throw error;
      return null; // a fault may prevent the start; the next one must work
    });
    if (url === null) return;
    const known = acknowledgedBy(tenants);
    const clients = tenants.map((tenant, i) => load(url, tenant, { erases: i < ERASING }));
    // Without a fault, the time begins when the first events are taken: a campaign without any would try nothing.
    const busy = async (): Promise<void> => {
      const waits = (): boolean => fault === 'none' && served.isRunning && acknowledgedBy(tenants) === known;
      while (waits()) await sleep(5);
      await sleep(time);
    };
    await Promise.race([busy(), served.exited]);
    served.kill('SIGKILL');
    await Promise.all([...clients, served.exited]);
  } finally {
    served.kill('SIGKILL');
  }
}

/** What a server without faults finds. */
async function judged(folder: string, tenants: readonly Tenant[]): Promise<Verdict[]> {
  const served = new Served(folder, SETTINGS);
  try {
    const url = await served.ready();
    return await Promise.all(tenants.map((tenant) => judge(url, tenant)));
  } finally {
    served.kill('SIGKILL');
    await served.exited;
  }
}

const isGood = ({ refused, lost, doubled, wrong }: Verdict): boolean => !refused && lost + doubled + wrong === 0;
const tell = ({ id }: Tenant, verdict: Verdict): string => `${id} ${JSON.stringify(verdict)}`;

/** Flips one bit of one file in a copy of the folder: clients must get an error, or not be affected. */
async function flipped(
  folder: string,
  tenants: readonly Tenant[],
  random: () => number,
): Promise<{ what: string; result: string }> {
  const copy = mkdtempSync(join(tmpdir(), 'windlass-chaos-'));
  try {
    cpSync(folder, copy, { recursive: true });
    const file = pick(random, filesOf(copy));
    const bytes = readFileSync(file);
    const at = Math.floor(random() * bytes.length);
    bytes[at]! ^= 1 << Math.floor(random() * 8);
    writeFileSync(file, bytes);
    const what = `bit of byte ${at} of ${bytes.length} in ${file.slice(copy.length)}`;
    return { what, result: await seen(copy, tenants) };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Journal files and shards. A flipped bit of control.db may stop the start, a report; write-ahead logs are up to SQLite. */
function filesOf(folder: string): string[] {
  const inside = (name: string, pattern: RegExp): string[] =>
    readdirSync(join(folder, name))
      .filter((file) => pattern.test(file))
      .map((file) => join(folder, name, file));
  const journals = inside('journal', /^w.*\.log$/).filter((file) => readFileSync(file).length > 0);
  const shards = inside('shards', /\.db$/);
  return [...journals, ...journals, ...journals, ...shards.slice(0, 6)];
}

async function seen(folder: string, tenants: readonly Tenant[]): Promise<string> {
  const verdicts = await judged(folder, tenants);
  const { code } = await wl(['admin', 'check', '--data', folder]);
  const bad = verdicts.filter((verdict) => !isGood(verdict));
  const untold = bad.filter(({ refused }) => !refused && code === 0);
  if (untold.length > 0 || verdicts.some(({ doubled, wrong }) => doubled + wrong > 0)) return JSON.stringify(bad);
  return bad.length > 0 || code !== 0 ? 'told' : 'harmless';
}
