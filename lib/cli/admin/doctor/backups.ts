/** Checks the backup targets, in the settings and the control database, and what the receiver of webhooks answered. */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { bucketAccess } from '../../../buckets/access.ts';
import { namesBucket } from '../../../base/bucket-location.ts';
import { type Bucket, openBucket } from '../../../buckets/bucket.ts';
import { readObject } from '../../../buckets/object-store.ts';
import type { Config } from '../../../base/config/config.ts';
import type { Operator } from '../../../control/operator/operator.ts';
import { ERASURE_LOG } from '../../../erasures/log-file.ts';
import { AppError, codeOf } from '../../../base/errors.ts';
import { gib, type DoctorFinding } from './disk.ts';
import { targetOf } from '../admin-command.ts';
import { isoTime } from '../../../base/day.ts';
import type { WebhookMessage } from '../../../control/operator/webhook-messages.ts';

export async function backups(config: Config, operator: Operator): Promise<readonly DoctorFinding[]> {
  const known = (await operator.backupTargets.list(fs.realpathSync(config.data))).map((target) => target.path);
  const set = config.backupDir === null ? [] : [targetOf(config.backupDir)];
  const findings: DoctorFinding[] = [];
  for (const target of new Set([...known, ...set])) {
    const check = `backups in ${target}`;
    if (namesBucket(target)) findings.push({ check, ...(await tryBucket(target, config)) });
    else findings.push({ check, ...lookAtFolder(target, known.includes(target)) });
  }
  return [...findings, age(await operator.lastBackup(), findings.length > 0)];
}

type Found = Omit<DoctorFinding, 'check'>;

/** Writes an object, lists and reads it, and removes it. */
async function tryBucket(target: string, config: Config): Promise<Found> {
  try {
    const bucket = openBucket(target, bucketAccess(config));
    const [key, content] = [`doctor/${randomUUID()}`, Buffer.from('tried by wl admin doctor')];
    const begun = performance.now();
    if (!(await readsBack(bucket, key, content))) {
      const mend = 'use another store: backups need one that lists and reads back what was just written';
      return { found: 'could not read back what was written', mend };
    }
    return { found: `written, listed, read and removed in ${Math.round(performance.now() - begun)} ms`, mend: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { found: error.message, mend: error.data.hints?.join('; ') ?? error.message };
  }
}

/** Leaves nothing there, whatever fails. */
async function readsBack(bucket: Bucket, key: string, content: Buffer<ArrayBuffer>): Promise<boolean> {
  await bucket.write(key, content);
  try {
    const [listed] = await bucket.list(key);
    const read = listed === undefined ? null : await readObject(bucket, listed);
    return read !== null && content.equals(read);
  } finally {
    await bucket.remove(key);
  }
}

/** `known`: it already holds a backup. */
function lookAtFolder(target: string, known: boolean): Found {
  const log = path.join(target, ERASURE_LOG);
  if (known && !fs.existsSync(log)) {
    const mend = `mount it again: erasures cannot be written there. If it is gone for good, run \`wl admin backup ${target} --forget\``;
    return { found: 'not there', mend };
  }
  const place = known ? target : nearest(target);
  const { bavail, bsize } = fs.statfsSync(place);
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    if (known) fs.accessSync(log, fs.constants.R_OK | fs.constants.W_OK);
  } catch (error) {
    return { found: `cannot write to ${place} (${codeOf(error)})`, mend: 'let the service write there' };
  }
  return { found: `${gib(bavail * bsize)} free${known ? '' : ', no backup yet'}`, mend: null };
}

/** The target, or its nearest existing parent. */
function nearest(target: string): string {
  return fs.existsSync(target) || path.dirname(target) === target ? target : nearest(path.dirname(target));
}

function age(last: number | null, planned: boolean): DoctorFinding {
  const mend =
    'make backups, to another disk or a bucket: set WINDLASS_BACKUP_DIR, or run `wl admin backup DIR --keep 7` each night';
  if (last === null) return { check: 'last backup', found: 'there was none', mend: planned ? null : mend };
  const hours = Math.max(0, Date.now() - last) / 3_600_000;
  const old = hours * 3_600_000 > 26 * 3_600_000; // same as the alert: a day, and two hours to make one
  return { check: 'last backup', found: `${hours.toFixed(1)} hours ago`, mend: old ? mend : null };
}

const MEND =
  '`wl admin webhooks` shows each message with its answer: fix the receiver or WINDLASS_WEBHOOK_URL, then try it with `wl admin webhooks --test`';

/** `messages`: the newest, in any order. */
export function webhookFinding({ webhookUrl: url }: Config, messages: readonly WebhookMessage[]): DoctorFinding {
  const check = 'webhooks';
  const waiting = messages.filter(({ dueAt }) => dueAt !== null);
  const tried = messages.filter(({ triedAt }) => triedAt !== null).sort((a, b) => (b.triedAt ?? 0) - (a.triedAt ?? 0));
  const [last] = tried;
  // The service sends due messages within a second.
  const unsent = waiting.some(({ tries, madeAt }) => tries === 0 && madeAt < Date.now() - 60_000);
  if (last === undefined) {
    const set =
      url === null ? 'no receiver in these settings' : `${new URL(url).host} is set, and nothing was sent yet`;
    return { check, found: unsent ? `${set}; ${waiting.length} wait` : set, mend: unsent ? MEND : null };
  }
  const { answer } = last;
  if (last.state === 'delivered') {
    const found = `last answer ${answer} at ${time(last.triedAt)}, ${waiting.length} wait`;
    return { check, found, mend: unsent ? MEND : null };
  }
  const delivered = tried.findIndex(({ state }) => state === 'delivered');
  const failing = delivered < 0 ? tried : tried.slice(0, delivered);
  const since = Math.min(...failing.map(({ madeAt }) => madeAt));
  const lost = failing.filter(({ state }) => state === 'given up').length;
  const found = `failing since ${time(since)}, last answer ${answer}; ${waiting.length} wait, ${lost} given up`;
  return { check, found, mend: MEND };
}

const time = (at: number | null): string => (at === null ? 'never' : isoTime(at));
