/**
 * GET /public/…: style sheets, scripts and pictures. The folders are read once, at the start, into a table from path to
 * answer; a request only looks into the table, so no path can lead out of it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import type { RequestHandler } from 'express';
import { AppError } from '../../errors.ts';
import { openToEmbedding } from '../cors.ts';

/** What is served, by the end of a file's name. Anything else in the folder is not. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json; charset=utf-8',
};

interface Asset {
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

/** Serves the files of folders below `/public/`. */
export function staticFiles(folders: readonly string[]): RequestHandler {
  const assets = new Map(folders.flatMap((folder) => [...readAssets(folder)]));
  return (request, response) => {
    openToEmbedding(response);
    const asset = assets.get(pathOf(request));
    if (asset === undefined) throw new AppError('not_found', 'There is no such file.');
    // Scripts name one another without a version, so they must be asked for anew: an old one beside a new one would break.
    response.setHeader('Cache-Control', 'public, no-cache');
    response.setHeader('ETag', asset.etag);
    if (knows(request, asset.etag)) {
      response.writeHead(304);
      response.end();
      return;
    }
    response.writeHead(200, { 'Content-Type': asset.type, 'Content-Length': asset.body.length });
    response.end(asset.body);
  };
}

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const type = TYPES[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const body = readFileSync(file);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(`/public/${relative(folder, file).replaceAll(sep, '/')}`, { type, body, etag });
  }
  return assets;
}

/** The path as it was sent, undecoded: our own names need no percents. */
function pathOf(request: IncomingMessage): string {
  return (request.url ?? '').split('?', 1)[0] ?? '';
}

function knows(request: IncomingMessage, etag: string): boolean {
  const known = request.headers['if-none-match'];
  return known !== undefined && known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
