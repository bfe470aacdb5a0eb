import { defineGroup } from '../command.ts';
import { dashboardInit } from './init.ts';
import { dashboardList } from './list.ts';
import { dashboardPull } from './pull.ts';
import { dashboardRun } from './run.ts';
import { dashboardSave } from './save.ts';
import { dashboardSchema } from './schema.ts';
import { dashboardSync } from './sync.ts';
import { dashboardValidate } from './validate.ts';
import { dashboardView } from './view.ts';

export const dashboard = defineGroup({
  name: 'dashboard',
  summary: 'Write, check, run, view and store dashboards',
  commands: [
    dashboardInit,
    dashboardSchema,
    dashboardValidate,
    dashboardRun,
    dashboardView,
    dashboardSync,
    dashboardList,
    dashboardPull,
    dashboardSave,
  ],
});
