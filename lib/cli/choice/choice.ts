import { clientCommand } from '../client/client-command.ts';
import { defineGroup, UsageError, optional, positional } from '../command.ts';
import { quoted } from '../query/ask.ts';
import { rangeText } from '../query/query.ts';
import { showAnswer } from '../query/show-answer.ts';

const choiceResults = clientCommand({
  usage: 'results <name>',
  summary: 'Show the results of an experiment, by variant',
  examples: [
    ['wl choice results checkout-button --conversion purchase', 'conversions of each variant, with a test'],
    ['wl choice results checkout-button', 'exposures of each variant'],
  ],
  options: {
    name: positional('The choice_key of the experiment'),
    conversion: optional('Event that counts as a conversion'),
    window: optional('Time from exposure to conversion; with --conversion [default: 7d]'),
    unit: optional('Field that joins exposures and conversions; with --conversion [default: distinct_id]'),
    last: optional('Time range [default: 30d]'),
  },
  completes: { conversion: 'event' },
  formats: ['table', 'json', 'csv', 'markdown'],
  run: async ({ name, conversion, window, unit, last }, session) => {
    if (conversion === undefined && (window !== undefined || unit !== undefined)) {
      throw new UsageError('--window and --unit need --conversion EVENT');
    }
    const stages = [
      `choice ${quoted(name)}`,
      ...(conversion === undefined ? [] : [`results ${quoted(conversion)}`]),
      ...(window === undefined ? [] : [`window ${rangeText('window', window)}`]),
      ...(unit === undefined ? [] : [`unit ${fieldText(unit)}`]),
      ...(last === undefined ? [] : [`last ${rangeText('last', last)}`]),
    ];
    await showAnswer(session, stages.join(' | '), {});
  },
});

/** A field that cannot add another stage. */
function fieldText(unit: string): string {
  if (/^[^\s|#"]+(?:"(?:[^"\\\n]|\\.)*")?$/.test(unit)) return unit;
  throw new UsageError('--unit must be a field, such as distinct_id or event_properties.company');
}

export const choice = defineGroup({ name: 'choice', summary: 'Experiments', commands: [choiceResults] });
