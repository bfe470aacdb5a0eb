/** A thread that only measures how long its event loop was blocked. */
import { answerWithDelays } from './loop-delays.ts';

answerWithDelays();
