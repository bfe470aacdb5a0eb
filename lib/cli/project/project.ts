import { defineGroup } from '../command.ts';
import { projectCreate } from './create.ts';
import { projectDelete } from './delete.ts';
import { projectGet } from './get.ts';
import { projectList } from './list.ts';
import { projectRotateSecretKey } from './rotate-secret-key.ts';
import { projectUsage } from './usage.ts';

export const project = defineGroup({
  name: 'project',
  summary: 'Manage the projects of an organization',
  commands: [projectList, projectCreate, projectGet, projectDelete, projectRotateSecretKey, projectUsage],
});
