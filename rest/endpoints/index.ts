import type { Endpoint } from './endpoint.ts';
import { duplicateEndpoints } from './duplicates.ts';
import { imageEndpoints } from './images.ts';
import { operationEndpoints } from './operations.ts';
import { taggingEndpoints } from './tagging.ts';
import { verdictEndpoints } from './verdicts.ts';
import { videoEndpoints } from './videos.ts';

/** Every endpoint; routing, validation, execution and the documentation read this table. */
export const endpoints: readonly Endpoint[] = [
  ...operationEndpoints,
  ...taggingEndpoints,
  ...imageEndpoints,
  ...videoEndpoints,
  ...duplicateEndpoints,
  ...verdictEndpoints,
];
