/** Turns to add events to a project: what the control database says of them, and the store on ClickHouse asks. */

/** Somebody's turn. */
export interface HeldTurn {
  readonly holder: string;
  /** By the clock of the control database. */
  readonly heldUntil: number;
  readonly isOver: boolean;
}

/** `unknown`: nobody has ever had a turn; `deleted`: nobody gets one any more; a number: the first of those wanted. */
export type TakenTurn = number | HeldTurn | 'unknown' | 'deleted';

export interface WantedTurn {
  /** Another one for each turn; begins with `ofRun`. */
  readonly holder: string;
  /** The caller's process: none of its turns is still in use. */
  readonly ofRun: string;
  /** A turn whose time was over, and of whose holder nothing more comes: it is taken unless it was renewed. */
  readonly over: HeldTurn | null;
  /** Arrival numbers. */
  readonly count: number;
  /** How long without renewal, milliseconds. */
  readonly lease: number;
  /** Given also after the last turn, to remove what a deleted project has. */
  readonly ofDeleted?: boolean;
}

/** What keeps a turn beyond its time. */
export type KeptTurn = Pick<WantedTurn, 'holder' | 'lease'>;

/** What nodes share, with a clock of its own: `IngestTurns` of the control database. */
export interface SharedTurns {
  take(project: string, wanted: WantedTurn): Promise<TakenTurn>;
  begin(project: string, first: number): Promise<void>;
  renew(project: string, kept: KeptTurn): Promise<boolean>;
  give(project: string, holder: string): Promise<void>;
  end(project: string, holder: string): Promise<boolean>;
}
