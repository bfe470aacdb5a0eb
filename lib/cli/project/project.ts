import { defineGroup } from '../command.ts';
import { projectAudit } from './audit.ts';
import { projectCreate } from './create.ts';
import { projectDelete } from './delete.ts';
import { projectGet } from './get.ts';
import { projectList } from './list.ts';
import { projectMember } from './member.ts';
import { projectOrganization } from './organization.ts';
import { projectResume } from './resume.ts';
import { projectRotateSecretKey } from './rotate-secret-key.ts';
import { projectSet } from './set.ts';
import { projectSuspend } from './suspend.ts';
import { projectToken } from './token.ts';
import { projectUsage } from './usage.ts';

export const project = defineGroup({
  name: 'project',
  summary: 'Manage the projects of an organization',
  commands: [
    projectList,
    projectCreate,
    projectGet,
    projectSet,
    projectDelete,
    projectSuspend,
    projectResume,
    projectRotateSecretKey,
    projectUsage,
    projectToken,
    projectMember,
    projectAudit,
    projectOrganization,
  ],
});
