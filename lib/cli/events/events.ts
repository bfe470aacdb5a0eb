import { clientCommand } from '../client/client-command.ts';
import { defineGroup, flag, optional, type OptionTable, UsageError } from '../command.ts';
import { undoImport } from '../import/undo.ts';
import { deleteEvents } from '../client/delete-events.ts';

const OPTIONS = {
  event: { type: 'string', array: true, describe: 'Events of this name; may be given several times' },
  last: optional('Of the last … (30d, 12h, 6mo); as the other ranges, as a query has it'),
  since: optional('From a day or time on: 2026-01-01'),
  until: optional('With --since: up to a day or time'),
  'import-id': optional('That an import brought'),
  where: optional('For which a condition of the language is true: \'event_properties.test = true\''),
  'dry-run': flag('Only count them'),
} as const satisfies OptionTable; // prettier-ignore

const deleteCommand = clientCommand({
  usage: 'delete',
  summary: 'Delete events for good: by name, time, import or a condition, all of which must be true',
  examples: [
    ["wl events delete --event signup --where 'event_properties.test = true' --dry-run", 'counts them'],
    ['wl events delete --event debug --last 30d', 'shows the count, and asks for the name of the event'],
    ['wl events delete --since 2026-03-01 --until 2026-03-02 --yes', 'no prompts; a day that was sent twice'],
    ["wl query '* | all | count by _import_id'", 'lists the imports with their events'],
  ],
  options: OPTIONS,
  run: async ({ event = [], last, since, until, 'import-id': importId, where, 'dry-run': isDry }, session) => {
    if (last !== undefined && since !== undefined) throw new UsageError('give --last or --since, not both');
    if (until !== undefined && since === undefined) throw new UsageError('--until needs a --since');
    const range =
      last !== undefined ? `last ${last}` : since === undefined ? undefined : until === undefined ? `since ${since}` : `from ${since} to ${until}`; // prettier-ignore
    const parts = [
      ...(event.length === 0 ? [] : [event.join(', ')]),
      ...(range === undefined ? [] : [range]),
      ...(importId === undefined ? [] : [`import ${importId}`]),
      ...(where === undefined ? [] : [`where ${where}`]),
    ];
    if (parts.length === 0)
      throw new UsageError('say which events: --event, --last, --since, --import-id or --where; --dry-run counts them');
    const selection = {
      ...(event.length === 0 ? {} : { event }),
      ...(range === undefined ? {} : { range }),
      ...(importId === undefined ? {} : { import_id: importId }),
      ...(where === undefined ? {} : { where }),
    };
    const name = event[0] ?? importId ?? 'delete';
    await deleteEvents(selection, { name, what: parts.join(', '), isDry }, session);
  },
});

export const events = defineGroup({
  name: 'events',
  summary: 'Delete events, or undo an import',
  commands: [deleteCommand, undoImport],
});
