import type { EntryOf } from '../manifest.ts';

/** Converts the outputs of a network to probabilities. */
export function activate(values: Float32Array, activation: EntryOf<'nsfw'>['activation']): Float32Array {
  if (activation === 'none') return values.map((value) => Math.min(1, Math.max(0, value)));
  if (activation === 'sigmoid') return values.map((value) => 1 / (1 + Math.exp(-value)));
  const largest = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((total, value) => total + value, 0);
  return powers.map((value) => value / sum);
}
