import { defineGroup } from '../command.ts';
import { ADMIN_OPTIONS } from './admin-command.ts';
import { backup } from './copies/backup.ts';
import { check } from './check.ts';
import { cluster } from './cluster.ts';
import { doctor } from './doctor/doctor.ts';
import { limits } from './limits.ts';
import { loginLink } from './login-link.ts';
import { logout } from './logout.ts';
import { orgCreate } from './org-create.ts';
import { orgDelete } from './org-delete.ts';
import { orgList } from './org-list.ts';
import { projectCreate } from './project-create.ts';
import { projectDelete } from './project-delete.ts';
import { projectExport } from './copies/project-export.ts';
import { projectImport } from './copies/project-import.ts';
import { projectList } from './project-list.ts';
import { projectResume } from './project-resume.ts';
import { projectSet } from './project-set.ts';
import { projectSuspend } from './project-suspend.ts';
import { restore } from './copies/restore.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';
import { top } from './top.ts';
import { usage } from './usage.ts';
import { webhooks } from './webhooks.ts';

export const admin = defineGroup({
  name: 'admin',
  summary: 'Manage the data folder of a service on this machine',
  options: ADMIN_OPTIONS,
  commands: [
    defineGroup({ name: 'org', summary: 'Organizations', commands: [orgCreate, orgList, orgDelete] }),
    defineGroup({
      name: 'project',
      summary: 'Projects',
      commands: [
        projectCreate,
        projectList,
        projectSet,
        projectSuspend,
        projectResume,
        projectDelete,
        projectExport,
        projectImport,
      ],
    }),
    defineGroup({ name: 'token', summary: 'Access tokens', commands: [tokenCreate, tokenList, tokenRevoke] }),
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
