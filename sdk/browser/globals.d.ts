import type { Settings } from './settings.ts';
import type { Command, Windlass } from './windlass.ts';

declare global {
  interface Window {
    /** Before the script has loaded, a list of commands. */
    wl: Windlass | Command[] | undefined;
    wlConfig?: Partial<Settings>;
  }
  interface Document {
    /** Not in the library of types yet. */
    readonly prerendering?: boolean;
  }
}
