import type { Settings } from './settings.ts';
import type { Command, Windlass } from './windlass.ts';

declare global {
  interface Window {
    /** A list of commands until the script has loaded. */
    wl: Windlass | Command[] | undefined;
    wlConfig?: Partial<Settings>;
  }
  interface Navigator {
    /** Not in TypeScript's library yet. */
    readonly globalPrivacyControl?: boolean;
  }
  interface Document {
    /** Not in TypeScript's library yet. */
    readonly prerendering?: boolean;
  }
}
