import { defineGroup } from '../command.ts';
import { configGet } from './get.ts';
import { configInit } from './init.ts';
import { configList } from './list.ts';
import { configPath } from './path.ts';
import { configSet } from './set.ts';

export const config = defineGroup({
  name: 'config',
  summary: 'Save the server and the key for later commands',
  commands: [configInit, configSet, configGet, configList, configPath],
});
