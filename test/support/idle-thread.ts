/** A thread that does nothing but say how long its event loop was held. */
import { answerWithDelays } from './loop-delays.ts';

answerWithDelays();
