import type { Terminal } from '../terminal.ts';
import { counted } from '../text.ts';

/** The contents of a progress line. */
export interface Standing {
  readonly events: number;
  readonly retries: number;
  /** Bytes read. */
  readonly bytes: number;
}

/** A progress line on stderr; nothing if stderr is not a terminal. */
export class Progress {
  readonly #terminal: Terminal;
  /** Bytes; null if unknown. */
  readonly #size: number | null;
  readonly #began = performance.now();
  #shown = -Infinity;

  constructor(terminal: Terminal, size: number | null) {
    this.#terminal = terminal;
    this.#size = size;
  }

  show(standing: Standing): void {
    const now = performance.now();
    if (this.#terminal.stderr.isTTY !== true || now - this.#shown < 100) return;
    this.#shown = now;
    this.#terminal.status(progressText(standing, { seconds: (now - this.#began) / 1_000, size: this.#size }));
  }

  end(): void {
    this.#terminal.status('');
  }
}

/** `12,400 events  8,100/s  2 retries  41 %  ETA 0:32` */
export function progressText(
  { events, retries, bytes }: Standing,
  { seconds, size }: { seconds: number; size: number | null },
): string {
  const parts = [counted(events, 'event'), `${Math.round(events / seconds).toLocaleString('en')}/s`];
  if (retries > 0) parts.push(`${retries} ${retries === 1 ? 'retry' : 'retries'}`);
  if (size !== null && size > 0 && bytes > 0) {
    const share = Math.min(1, bytes / size);
    parts.push(`${Math.floor(share * 100)} %`, `ETA ${clock((seconds / share) * (1 - share))}`);
  }
  return parts.join('  ');
}

/** `1:02:03`, `0:32` */
function clock(seconds: number): string {
  const whole = Math.ceil(seconds);
  const pair = (number: number): string => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${pair(minutes)}:${pair(whole % 60)}` : `${minutes}:${pair(whole % 60)}`;
}
