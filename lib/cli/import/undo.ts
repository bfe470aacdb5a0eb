/** The way back from an import. */
import { clientCommand } from '../client/client-command.ts';
import { flag, positional } from '../command.ts';
import { deleteEvents } from '../client/delete-events.ts';

export const undoImport = clientCommand({
  usage: 'undo <import-id>',
  summary: 'Delete all events of an import, which may run again then',
  examples: [
    ['wl events undo mixpanel-3f2a --dry-run', 'counts them'],
    ['wl events undo mixpanel-3f2a', 'shows the count, and asks for the id'],
    ["wl query '* | all | count by _import_id'", 'lists the imports with their events'],
  ],
  options: { 'import-id': positional('As the import showed it'), 'dry-run': flag('Only count them') },
  run: ({ 'import-id': id, 'dry-run': isDry }, session) =>
    deleteEvents({ import_id: id }, { name: id, what: `import ${id}`, isDry }, session),
});
