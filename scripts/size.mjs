// npm run size: what the script weighs that pages load. Fails when it is more than it may be.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleScript } from './build-sdk.mjs';

/** Bytes of wl.js with gzip. */
const MOST = 5_000;

const { contents } = await bundleScript();
const zipped = gzipSync(contents, { level: 9 }).length;
process.stdout.write(
  `wl.js: ${contents.length} bytes, ${zipped} with gzip (at most ${MOST}), ${brotliCompressSync(contents).length} with brotli\n`,
);
if (zipped > MOST) process.exitCode = 1;
