import { afterEach } from 'vitest';
import { openVision } from '../../src/vision/index.ts';
import type { Vision } from '../../src/vision/index.ts';

/** Opens what looks at pictures, in processes of its own; each is closed after its test. */
export function visionOpener(): typeof openVision {
  const opened: Vision[] = [];
  afterEach(async () => {
    for (const vision of opened.splice(0)) await vision.close();
  });
  return (...args) => {
    const vision = openVision(...args);
    opened.push(vision);
    return vision;
  };
}
