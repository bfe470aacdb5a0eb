// npm run size: the sizes of the scripts that pages load. Fails when one exceeds its limit.
import { basename } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleScripts } from './build-sdk.mjs';

/** Bytes, gzipped. */
const MOST = { 'wl.js': 5_000, 'wl.choice.js': 1_000 };

for (const { path, contents } of await bundleScripts()) {
  const name = basename(path);
  const zipped = gzipSync(contents, { level: 9 }).length;
  const brotli = brotliCompressSync(contents).length;
  process.stdout.write(
    `${name}: ${contents.length} bytes, ${zipped} with gzip (at most ${MOST[name]}), ${brotli} with brotli\n`,
  );
  if (zipped > MOST[name]) process.exitCode = 1;
}
