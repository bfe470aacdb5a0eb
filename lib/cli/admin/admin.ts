import { loadCluster } from '../../cluster.ts';
import { defineGroup, type Command } from '../command.ts';
import { ADMIN_OPTIONS } from './admin-command.ts';
import { backup } from './copies/backup.ts';
import { check } from './check.ts';
import { doctor } from './doctor/doctor.ts';
import { limits, org } from './organizations.ts';
import { loginLink, logout } from './logins.ts';
import { operatorKey } from './operator-keys.ts';
import { adminProject } from './projects.ts';
import { adminToken } from './tokens.ts';
import { restore } from './copies/restore.ts';
import { top } from './top.ts';
import { adminUsage } from './usage.ts';
import { adminWebhooks } from './webhooks.ts';

/** `wl admin`, for a command line of these words: only one that names the cluster needs its package. */
export async function adminFor(words: readonly string[]): Promise<Command> {
  const cluster = defineGroup({
    name: 'cluster',
    summary: 'Manage the tables on ClickHouse, and move projects there and back',
    commands: words.includes('cluster') ? (await loadCluster()).commands : [],
  });
  return defineGroup({
    name: 'admin',
    summary: 'Manage a service: its data folder on this machine, or a host from afar with --host',
    options: ADMIN_OPTIONS,
    commands: [
      ...[org, adminProject, adminToken, operatorKey, cluster, limits, adminUsage, top, adminWebhooks],
      ...[loginLink, logout, backup, restore, check, doctor],
    ],
  });
}
