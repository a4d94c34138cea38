import type { Endpoint } from './endpoint.ts';
import { duplicateEndpoints } from './endpoints/duplicates.ts';
import { imageEndpoints } from './endpoints/images.ts';
import { operationEndpoints } from './endpoints/operations.ts';
import { taggingEndpoints } from './endpoints/tagging.ts';
import { verdictEndpoints } from './endpoints/verdicts.ts';
import { videoEndpoints } from './endpoints/videos.ts';

/** Every endpoint; routing, validation, execution and the documentation read this table. */
export const endpoints: readonly Endpoint[] = [
  ...operationEndpoints,
  ...taggingEndpoints,
  ...imageEndpoints,
  ...videoEndpoints,
  ...duplicateEndpoints,
  ...verdictEndpoints,
];
