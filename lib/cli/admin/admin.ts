import { defineGroup } from '../command.ts';
import { ADMIN_OPTIONS } from './admin-command.ts';
import { backup } from './copies/backup.ts';
import { check } from './check.ts';
import { cluster } from './cluster.ts';
import { doctor } from './doctor/doctor.ts';
import { limits, org } from './organizations.ts';
import { loginLink, logout } from './logins.ts';
import { project } from './projects.ts';
import { token } from './tokens.ts';
import { restore } from './copies/restore.ts';
import { top } from './top.ts';
import { usage } from './usage.ts';
import { webhooks } from './webhooks.ts';

export const admin = defineGroup({
  name: 'admin',
  summary: 'Manage the data folder of a service on this machine',
  options: ADMIN_OPTIONS,
  commands: [
    org,
    project,
    token,
    cluster,
    limits,
    usage,
    top,
    webhooks,
    loginLink,
    logout,
    backup,
    restore,
    check,
    doctor,
  ],
});
