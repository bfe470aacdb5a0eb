/** Pages of an export, each a request that may be repeated, so that a connection that breaks costs nothing. */
import type { ApiClient } from '../client/api-client.ts';
import { ClientError } from '../client/client-error.ts';

export interface ExportColumn {
  readonly name: string;
  readonly type: string;
}

export interface ExportPage {
  readonly body: Buffer;
  readonly rows: number;
  readonly columns: readonly ExportColumn[];
  /** With which an export goes on behind it. */
  readonly cursor: string;
  readonly isLast: boolean;
}

/** What to export: parameters of GET /export. */
export type ExportParameters = Readonly<Record<string, string | undefined>>;

/** Rows of a page: as many as a server gives. */
const ROWS = '10000';

/** The pages behind a cursor; null: from the first one on. */
export async function* exportPages(
  api: ApiClient,
  parameters: ExportParameters,
  from: string | null,
): AsyncGenerator<ExportPage> {
  for (let cursor = from; ;) {
    const page = await pageBehind(api, parameters, cursor);
    yield page;
    if (page.isLast) return;
    cursor = page.cursor;
  }
}

async function pageBehind(api: ApiClient, parameters: ExportParameters, cursor: string | null): Promise<ExportPage> {
  const { body, header } = await api.send({
    ...{ method: 'GET', path: '/export', key: 'query', retry: 'patient' },
    parameters: { ...parameters, limit: ROWS, cursor: cursor ?? undefined },
  });
  const told = (name: string): string => {
    const value = header(name);
    if (value !== null) return value;
    throw new ClientError(`${api.host} answers /export without ${name}: is it a Windlass server of this version?`);
  };
  const columns = told('x-columns')
    .split(',')
    .map((column) => {
      const [name = '', type = ''] = column.split(':');
      return { name, type };
    });
  return {
    ...{ body, columns, rows: Number(told('x-rows')), cursor: told('x-next-cursor') },
    isLast: told('x-complete') === 'true',
  };
}
