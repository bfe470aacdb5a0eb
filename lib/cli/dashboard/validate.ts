import { problemLine } from '../../dashboards/problem.ts';
import { clientCommand } from '../client/client-command.ts';
import { readDashboards } from './dashboard-file.ts';

export const dashboardValidate = clientCommand({
  usage: 'validate',
  summary: 'Check dashboards and report every problem, without a server',
  examples: [
    ['wl dashboard validate --file growth.yaml', 'exits with 1 if it finds a problem'],
    ['wl dashboard validate --file dashboards --json', 'every file in a folder, as JSON'],
  ],
  options: {
    file: {
      type: 'string',
      demandOption: true,
      requiresArg: true,
      describe: 'A file, a folder of files, or - for stdin',
    },
  },
  completes: { file: 'file' },
  run: async ({ file: path }, { output, signal }) => {
    const files = await readDashboards(path, signal);
    const problems = files.flatMap(({ file, checked }) => checked.problems.map((problem) => ({ file, ...problem })));
    const valid = problems.length === 0;
    if (output.format === 'json') {
      output.json({ valid, files: files.map(({ file }) => file), problems });
    } else {
      const sound = files.filter(({ checked }) => checked.dashboard !== null);
      const lines = [
        ...problems.map(({ file, ...problem }) => problemLine(file, problem)),
        ...sound.map(({ file, checked }) => `${file} is right: ${countedCards(checked.dashboard)}`),
      ];
      output.raw(lines.join('\n'));
    }
    return valid ? 0 : 1;
  },
});

function countedCards(
  dashboard: { readonly sections: readonly { readonly cards: readonly unknown[] }[] } | null,
): string {
  const cards = dashboard?.sections.reduce((sum, section) => sum + section.cards.length, 0) ?? 0;
  return cards === 1 ? 'a card' : `${cards} cards`;
}
