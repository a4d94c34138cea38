/** The closed lists of the contract: names, in its order, as legacy clients know them. */

const words = (text: string): readonly string[] => text.trim().split(/[\s,]+/);

export const imageFields = words(`
  image_id, src, src_path, url_img_watermark, url_img_thumbnail, title, headline, caption, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, shot, scene,
  technique, medium, keywords, categories, collections, height, width, n_faces`);

export const defaultImageFields = words(`
  height, width, src, url_img_watermark, url_img_thumbnail, n_faces, title, headline, caption`);

export const imageSorts = [
  '',
  ...words(`
  image_id, src, url_img_watermark, url_img_thumbnail, height, width, aspect_ratio, n_faces, date, title, headline,
  caption, location, city, country, event, author, provider, shot, scene, medium, technique, similarity, sim`),
];

export const imageFacets = words(`
  ai_generated, model_release, property_release, nsfw, orientation, status, location, city, country, event, author,
  provider, shot, scene, medium, technique, keywords, categories, collections`);

export const writeLanguages = words('en, es, pt, fr, ru');
export const searchLanguages = words('ml, en, es');
/** Additive: how facets are counted. */
export const facetModes = words('conjunctive, disjunctive');
export const sortOrders = words('asc, desc');
export const operationMethods = words('add, upd, del, multiple');
export const operationResources = words('video, image, celebs');

/** What a field of a write body holds. */
export type BodyFieldType = 'string' | 'boolean' | 'strings';

const booleans = words('ai_generated, model_release, property_release, nsfw');
const lists = words('keywords, categories, collections');
const readOnly = words('image_id, height, width, n_faces');

/** The write fields of an image with their types, in the contract's order. */
export const imageWriteFields: readonly (readonly [name: string, type: BodyFieldType])[] = imageFields
  .filter((name) => !readOnly.includes(name))
  .map((name) => [name, booleans.includes(name) ? 'boolean' : lists.includes(name) ? 'strings' : 'string']);

/** The name of a contract field in the schema: `n_faces` is `nFaces` there. */
export function schemaName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
