import type { ReferencePicture } from '../groups/find-duplicates.ts';
import type { SearchIndex } from '../index/search-index.ts';
import type { VectorModel } from '../index/stored-fingerprints.ts';

/** A tenant's index, and the model of the vectors in it; null if it has none. */
export type TenantIndex = Readonly<{ index: SearchIndex; model: VectorModel | null }>;

/** A picture that a term refers to: an image, or a frame of a video. Data that is absent is not compared. */
export type Picture = Readonly<{ vector: Int8Array | null; reference: ReferencePicture | null }>;

/** A resolved reference of a term, ready to be compared. */
export type Compared = Readonly<{
  isNegative: boolean;
  /** The record that the reference is or belongs to; it is left out of the results. */
  rowId: number | null;
  /** One picture, or the frames of a video; none for a text that no model can embed. */
  pictures: readonly Picture[];
  /** A text that no model can embed for this index, to be compared by its words. */
  text: string | null;
  kind: 'image' | 'text';
}>;
