/** Keys of advisory locks, one for each kind of work that only one process at a time may do. */
export const lockKeys = {
  migrate: 7_261_150_325,
  retention: 7_261_150_326,
  environmentKey: 7_261_150_327,
  backup: 7_261_150_331,
  fillHashes: 7_261_150_332,
  buildVectors: 7_261_150_333,
  switchModels: 7_261_150_334,
  countWords: 7_261_150_335,
  rebuildHashes: 7_261_150_336,
} as const;
