import type { Fingerprint, RecordWrite } from '../../catalog/index.ts';
import type { ElementError } from '../../lib/errors.ts';

/** Why an element failed, its position in the request, and the id it was sent with. */
export type Fault = Readonly<{ position: number; ref: string; error: ElementError }>;

/** An element that is ready to be stored. */
export type Ready = Readonly<{
  position: number;
  write: RecordWrite;
  /** Fingerprint of its picture, if pictures are compared. */
  fingerprint?: Fingerprint | null;
}>;

/** A chunk whose sources were read: elements to store, and elements that failed. */
export type PreparedChunk = Readonly<{
  number: number;
  ready: readonly Ready[];
  faults: readonly Fault[];
}>;
