import { clientCommand, type ClientSession } from '../client/client-command.ts';
import { UsageError, flag, optional } from '../command.ts';
import { counted } from '../text.ts';
import { Progress } from '../track/progress.ts';
import { exportPages, type ExportParameters } from './export-pages.ts';
import { OutputFile } from './output-file.ts';
import { fileFormat, type FileFormat } from './page-writer.ts';
import { bucketAt, lastObject, sendObjects } from './to-bucket.ts';

interface Export {
  readonly parameters: ExportParameters;
  readonly format: FileFormat;
  /** Shows how many rows there are so far. */
  readonly show: (rows: number) => void;
}

export const exportCommand = clientCommand({
  usage: 'export',
  summary: 'Export events, bindings and profiles: to stdout, a file or a bucket',
  examples: [
    ['wl export --last 30d > events.ndjson', 'as wl import ndjson takes them'],
    ['wl export --kind all --output all.ndjson.gz --gzip', 'everything; run it again to go on after a break'],
    ['wl export --since 2026-10-01 --until 2026-11-01 --where \'user.plan = "pro"\' --format csv', 'a month of some'],
    ['wl export --format parquet --output events.parquet', 'for DuckDB, Spark and others'],
    ['wl export --to s3://bucket/events --gzip', 'what has come since the last run, as a new object'],
  ],
  options: {
    kind: {
      choices: ['events', 'bindings', 'profiles', 'all'],
      default: 'events',
      requiresArg: true,
      describe: 'What to export',
    },
    last: optional('How far back: 30d [default: everything]'),
    since: optional('From this date or time on'),
    until: optional('Before this date or time'),
    timezone: optional('Time zone of dates, and of times in CSV'),
    where: optional('Only events that meet this condition'),
    format: {
      choices: ['ndjson', 'csv', 'parquet'],
      default: 'ndjson',
      requiresArg: true,
      describe: 'Lines of JSON as they were sent, or the columns of a list',
    },
    output: optional('File to write; a run that broke off goes on there'),
    gzip: flag('Compress it'),
    cursor: optional('Go on behind this place, for stdout'),
    to: optional('Bucket, s3://bucket/prefix, that gets what has come since the last run'),
  },
  completes: { where: 'condition', output: 'file' },
  formats: ['table', 'json', 'csv'],
  run: async (args, session) => {
    const { kind, last, since, until, timezone, where, output, to, cursor } = args;
    const format = await fileFormat(args.format, args.gzip);
    const progress = new Progress(session.terminal, null);
    const show = (rows: number): void => progress.show({ events: rows, retries: session.api.retries, bytes: 0 });
    const parameters = { kind, last, since, until, timezone, where, format: format.asked };
    if (args.format !== 'ndjson' && kind === 'all')
      throw new UsageError('--kind all is for ndjson: the others have columns of one kind');
    try {
      if (to === undefined) {
        if (output === undefined) return await toStdout(session, { parameters, format, show }, cursor ?? null);
        if (cursor !== undefined)
          throw new UsageError('--cursor is for stdout: with --output an export goes on by itself');
        return await toFile(session, { parameters, format, show }, output);
      }
      if (output !== undefined || cursor !== undefined)
        throw new UsageError('--to takes neither --output nor --cursor');
      if (kind !== 'events' || last !== undefined || since !== undefined || until !== undefined)
        throw new UsageError('--to takes all events since its last run: leave --kind, --last, --since and --until out');
      return await toBucket(session, { parameters: { ...parameters, order: 'arrival' }, format, show }, to);
    } finally {
      progress.end();
    }
  },
});

async function toStdout(
  session: ClientSession,
  { parameters, format, show }: Export,
  from: string | null,
): Promise<number> {
  const { api, terminal } = session;
  const writer = format.writer();
  let [rows, cursor] = [0, from];
  try {
    for await (const page of exportPages(api, parameters, from)) {
      if (!(await terminal.write(writer.add(page)))) return 0;
      rows += page.rows;
      ({ cursor } = page);
      show(rows);
    }
  } catch (error) {
    if (rows > 0 && format.goesOn)
      terminal.say(`wl: ${counted(rows, 'row')} so far; the same with this goes on: --cursor ${cursor}`);
    throw error;
  }
  await terminal.write(writer.end());
  return 0;
}

async function toFile(session: ClientSession, { parameters, format, show }: Export, path: string): Promise<number> {
  const { api, terminal } = session;
  using file = new OutputFile(path, JSON.stringify({ ending: format.ending, ...parameters }));
  if (file.cursor !== null) terminal.say(`wl: going on behind ${counted(file.rows, 'row')} of an earlier run`);
  const writer = format.writer();
  let { rows } = file;
  try {
    for await (const page of exportPages(api, parameters, file.cursor)) {
      file.write(writer.add(page), { cursor: format.goesOn ? page.cursor : null, rows: page.rows });
      rows += page.rows;
      show(rows);
    }
  } catch (error) {
    if (file.leave()) terminal.say(`wl: ${path} is unfinished: run the same command again to go on`);
    throw error;
  }
  file.write(writer.end(), { cursor: null, rows: 0 });
  file.end();
  terminal.say(`wl: ${counted(rows, 'row')} in ${path}`);
  return 0;
}

async function toBucket(
  { api, terminal }: ClientSession,
  { parameters, format, show }: Export,
  to: string,
): Promise<number> {
  const bucket = bucketAt(to);
  const { ending, writer } = format;
  const last = await lastObject(bucket, ending);
  const pages = exportPages(api, parameters, last.cursor);
  const { rows, objects } = await sendObjects({ bucket, last, ending, writer }, pages, show);
  terminal.say(`wl: ${counted(rows, 'row')} in ${counted(objects, 'new object')} of ${bucket.name}`);
  return 0;
}
