import type { Box } from '../facts.ts';

/** The intersection of two boxes, as a fraction of their union. */
export function overlap(a: Box, b: Box): number {
  const shared = sharedArea(a, b);
  return shared / (a.w * a.h + b.w * b.h - shared || 1);
}

/** The intersection of two boxes, as a fraction of the smaller one. */
export function containment(a: Box, b: Box): number {
  return sharedArea(a, b) / (Math.min(a.w * a.h, b.w * b.h) || 1);
}

/** The fraction of a box that lies in another one. */
export function fractionInside(box: Box, other: Box): number {
  return sharedArea(box, other) / (box.w * box.h || 1);
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

/** The part of a box that lies in the picture, rounded. */
export function clip({ x, y, w, h }: Box): Box {
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(1, x + w), Math.min(1, y + h)];
  return { x: round(left), y: round(top), w: round(Math.max(0, right - left)), h: round(Math.max(0, bottom - top)) };
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
