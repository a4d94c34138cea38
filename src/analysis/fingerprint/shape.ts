import type { Shape } from '../facts.ts';

/** The size of the upright picture, and its orientation. */
export function describeShape({ width, height }: Readonly<{ width: number; height: number }>): Shape {
  return { width, height, orientation: width > height ? 'landscape' : width < height ? 'portrait' : 'square' };
}
