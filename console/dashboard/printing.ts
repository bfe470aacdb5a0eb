/** Prints a board: all of its cards, drawn as wide as a page. */
import { made } from '../element.ts';
import { iconShape } from './svg.ts';

/** Told to a picture whose size has changed: while the browser prepares a page, nothing else tells it. */
export const REDRAW = 'redraw';

interface Printed {
  /** Resolves when every card has its content. */
  readonly load: () => Promise<void>;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** The keys that print wait until all cards are there. The browser's menu does not: it prints what has come until then. */
export function followPrinting(board: HTMLElement, { load, signal }: Printed): void {
  const layOut = (asPage: boolean): void => {
    board.classList.toggle('as-page', asPage);
    for (const picture of board.querySelectorAll('.ground')) picture.dispatchEvent(new Event(REDRAW));
  };
  const begin = (): void => {
    void load();
    layOut(true);
  };
  addEventListener('beforeprint', begin, { signal });
  addEventListener('afterprint', () => layOut(false), { signal });
  const onKey = (event: KeyboardEvent): void => {
    const prints = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'p';
    if (!prints) return;
    event.preventDefault();
    void load().then(() => print());
  };
  addEventListener('keydown', onKey, { signal });
}

export function printButton(load: () => Promise<void>): HTMLButtonElement {
  const button = made('button', '', {
    type: 'button',
    class: 'quiet board-print',
    'aria-label': 'Print',
    title: 'Print',
  });
  button.append(iconShape('print'));
  let isLoading = false;
  button.addEventListener('click', () => {
    if (isLoading) return;
    isLoading = true;
    void load().then(() => {
      isLoading = false;
      print();
    });
  });
  return button;
}
