/** What the text draws, as the dashboard's own page draws it. */
import type { Dashboard } from '../../lib/dashboards/dashboard.ts';
import { DashboardRun } from '../../lib/dashboards/run.ts';
import { annotationsAt, asking, namingCohorts } from '../dashboard/answer-source.ts';
import { Board } from '../dashboard/board.ts';
import { KeptAnswers } from './kept-answers.ts';

export class Preview {
  readonly #place: HTMLElement;
  readonly #api: string;
  readonly #askPath: string;
  #board: Board | null = null;
  #shown = '';
  readonly #answers = new KeptAnswers();

  constructor(place: HTMLElement, { api, askPath }: { api: string; askPath: string }) {
    this.#place = place;
    this.#api = api;
    this.#askPath = askPath;
  }

  /** Leaves a picture of the same dashboard as it is. What was asked before is not asked again until somebody refreshes. */
  show(dashboard: Dashboard): void {
    const text = JSON.stringify(dashboard);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#board?.stop();
    const ask = this.#answers.keeping(asking(`${this.#api}/query`));
    const [cohorts, annotations] = [namingCohorts(`${this.#api}/cohorts`), annotationsAt(`${this.#api}/annotations`)];
    let isFirst = true;
    const board = new Board(dashboard, {
      level: 3,
      run: (values) => {
        if (!isFirst) this.#answers.clear();
        isFirst = false;
        return new DashboardRun({ dashboard, values, ask, cohorts, annotations });
      },
      fixed: null,
      askPath: this.#askPath,
    });
    this.#board = board;
    const { scrollTop } = this.#place;
    this.#place.replaceChildren(board.element);
    board.start();
    this.#place.scrollTop = scrollTop;
  }
}
