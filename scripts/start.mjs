// npm start [-- options of wl serve]: fetches and installs what is missing, builds, and serves.
import { refuseTakenAddresses } from './free-addresses.mjs';
import { prepare } from './prepare.mjs';

await refuseTakenAddresses(process.argv.slice(2), process.env); // now, rather than after a minute of installing
await prepare();
await import('./serve.mjs');
