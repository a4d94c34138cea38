import { damaged } from './chunks.ts';

/** Undoes the filter of a row in place: each byte was stored as the difference from a prediction. */
type Unfilter = (row: Uint8Array, above: Uint8Array, step: number) => void;

/** By filter type, as in the PNG specification, section 9.2. `step` is the number of bytes per pixel, at least one. */
const filters: readonly Unfilter[] = [
  () => {},
  (row, _above, step) => {
    for (let i = step; i < row.length; i += 1) row[i] = at(row, i) + at(row, i - step);
  },
  (row, above) => {
    for (let i = 0; i < row.length; i += 1) row[i] = at(row, i) + at(above, i);
  },
  (row, above, step) => {
    for (let i = 0; i < row.length; i += 1) row[i] = at(row, i) + ((at(row, i - step) + at(above, i)) >> 1);
  },
  (row, above, step) => {
    for (let i = 0; i < row.length; i += 1) {
      row[i] = at(row, i) + paeth(at(row, i - step), at(above, i), at(above, i - step));
    }
  },
];

/** Returns a byte; 0 for an index before the first. */
function at(bytes: Uint8Array, index: number): number {
  return index < 0 ? 0 : (bytes[index] ?? 0);
}

/** Returns whichever of left, above and above left is closest to left + above - above left. */
function paeth(left: number, above: number, aboveLeft: number): number {
  const [toLeft, toAbove] = [Math.abs(above - aboveLeft), Math.abs(left - aboveLeft)];
  const toAboveLeft = Math.abs(left + above - 2 * aboveLeft);
  if (toLeft <= toAbove && toLeft <= toAboveLeft) return left;
  return toAbove <= toAboveLeft ? above : aboveLeft;
}

/** @throws ElementError `decode_failed` for a filter type that PNG does not define. */
export function unfilter(type: number, row: Uint8Array, above: Uint8Array, step: number): void {
  const undo = filters[type];
  if (undo === undefined) throw damaged('its data is corrupt');
  undo(row, above, step);
}
