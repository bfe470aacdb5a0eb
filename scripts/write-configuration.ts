/** Writes docs/configuration.md from the table of settings. Run it from the root, on the built files. */
import { writeFileSync } from 'node:fs';
import { describeProviderSettings } from '../lib/base/config/auth-providers.ts';
import { describeSettings } from '../lib/base/config/config.ts';
import { settingsPage } from './settings-page.ts';

writeFileSync('docs/configuration.md', settingsPage(describeSettings(), describeProviderSettings()));
