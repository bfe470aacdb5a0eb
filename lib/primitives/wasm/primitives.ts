/**
 * What the engine does to blocks of rows, compiled ahead of time to WebAssembly with SIMD: AssemblyScript, which is TypeScript by
 * syntax. Everything is an address in the thread's memory; lengths count values. Nothing is checked here: the caller ensures that
 * arrays are as long as stated, aligned to their values, and followed by SLACK bytes that may be read.
 *
 * ../primitives.ts describes each primitive; its plain form is in test/primitives.
 */
export { setUpUnpacking, unpackIntegers, boundOfIntegers } from './integers';
export { fillCells } from './fuse';
export { packIntegers } from './packing';
export { differencesOfConsecutive, differencesOfRising, sumNearlyConsecutive, sumRising, sumRows } from './sequences';
export { inOrder, numberTriples, pickUnlike, placeValues } from './raw-rows';
export { largest, leastSome, scaleNumbers } from './numbers';
export {
  andMasks,
  countMask,
  equalCodes,
  gather,
  orMasks,
  pickBetween,
  pickPlaces,
  pickSome,
  pickUsed,
  pickWords,
  placesOfCommon,
  testCodes,
  turnMask,
} from './select';
export { addCodes, addTable, countCodes, countMasked, fillWords, sumApart } from './slots';
export { greatest, greatestBySlot, sumBySlot, sumOne } from './sums';
export { addPairs, scatterWords } from './pairs';
export { appendPairs, distinctPairs } from './distinct';
export {
  countBuckets,
  countReturns,
  earlierStarts,
  earliestCohorts,
  markPeriods,
  markPersons,
  notBefore,
  ownPersons,
  preferWords,
} from './persons';
export { countLeading, layOutNumbers, pickLeading } from './ranks';
export { findDevices, findInSessions, formSessions, placesInPages } from './sessions';
export { countBits, setBits, setBitsOfOne } from './sets';
export { scanEvent, setUpScan } from './scan';
