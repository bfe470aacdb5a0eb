import type { Settings } from './settings.ts';
import type { Command, Windlass } from './windlass.ts';

/** Client hints that no header brings. */
export type Hints = Readonly<Partial<Record<'platformVersion' | 'model', string>>>;

declare global {
  interface Window {
    /** A list of commands until the script has loaded. */
    wl: Windlass | Command[] | undefined;
    wlConfig?: Partial<Settings>;
  }
  interface Navigator {
    /** Not in TypeScript's library yet. */
    readonly globalPrivacyControl?: boolean;
    /** In Chromium, over https. Extensions may put something else there. */
    readonly userAgentData?: {
      getHighEntropyValues?(hints: readonly string[]): Promise<Hints>;
    };
  }
  interface Document {
    /** Not in TypeScript's library yet. */
    readonly prerendering?: boolean;
  }
}
