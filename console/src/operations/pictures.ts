import { graphql } from '../api/graphql.ts';
import { PicturesOfElements } from '../api/documents.ts';
import { formulaOfIds } from '../edit/formula-of-ids.ts';

/** Addresses of small previews by id, null for a picture without one; images that do not exist are absent. */
export type Pictures = ReadonlyMap<string, string | null>;

/** Maximum number of images in one request. */
const most = 100;

/** The previews of images; empty if the service does not answer, so that everything else is still shown. */
export async function picturesOf(ids: readonly string[]): Promise<Pictures> {
  const wanted = [...new Set(ids)].slice(0, most);
  if (wanted.length === 0) return new Map();
  const q = formulaOfIds(wanted);
  const { images } = await graphql(PicturesOfElements, { q }).catch(() => ({ images: { results: [] } }));
  return new Map(images.results.map(({ id, small }) => [id, small?.url ?? null]));
}
