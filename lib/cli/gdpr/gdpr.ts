import { defineGroup } from '../command.ts';
import { gdprDelete } from './delete.ts';
import { gdprExport } from './export.ts';

export const gdpr = defineGroup({
  name: 'gdpr',
  summary: 'Export or erase the data of one user',
  commands: [gdprExport, gdprDelete],
});
