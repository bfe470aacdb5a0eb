import { defineGroup } from '../command.ts';
import { choiceResults } from './results.ts';

export const choice = defineGroup({ name: 'choice', summary: 'Experiments', commands: [choiceResults] });
