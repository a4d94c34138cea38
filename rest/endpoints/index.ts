import type { Endpoint } from './endpoint.ts';
import { duplicateEndpoints } from './duplicates.ts';
import { exportEndpoints } from './exports.ts';
import { formulaEndpoints } from './formulas.ts';
import { historyEndpoints } from './history.ts';
import { imageEndpoints } from './images.ts';
import { operationEndpoints } from './operations.ts';
import { taggingEndpoints } from './tagging.ts';
import { uploadEndpoints } from './uploads.ts';
import { verdictEndpoints } from './verdicts.ts';
import { videoEndpoints } from './videos.ts';
import { webhookEndpoints } from './webhooks.ts';

/** Every endpoint; routing, validation, execution and the documentation read this table. */
export const endpoints: readonly Endpoint[] = [
  ...operationEndpoints,
  ...historyEndpoints,
  ...taggingEndpoints,
  ...uploadEndpoints,
  ...exportEndpoints,
  ...imageEndpoints,
  ...videoEndpoints,
  ...formulaEndpoints,
  ...duplicateEndpoints,
  ...verdictEndpoints,
  ...webhookEndpoints,
];
