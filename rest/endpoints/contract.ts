/** The closed lists of the contract: names, in its order, as legacy clients know them. */

const words = (text: string): readonly string[] => text.trim().split(/[\s,]+/);

export const imageFields = words(`
  image_id, src, src_path, url_img_watermark, url_img_thumbnail, title, headline, caption, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, shot, scene,
  technique, medium, keywords, categories, collections, height, width, n_faces`);

/** What records have beyond the contract, for those who ask for it. */
export const additiveImageFields = words('ai_status, duplicate_of');

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
/** Additive: what formulas are explained in. */
export const explanationLanguages = words('en, es');
/** Additive: how facets are counted. */
export const facetModes = words('conjunctive, disjunctive');
/** Additive: what is done with a picture that is there already. */
export const onDuplicate = words('keep, flag, reject');
/** Additive: what can be said of two images. */
export const verdicts = words('same, variant, different');
/** Additive: how sure the duplicates of a group are. */
export const groupTiers = words('near, same, edited');
/** How a picture is tagged. */
export const tagModes = words('editorial');
export const sortOrders = words('asc, desc');
export const operationMethods = words('add, upd, del, multiple');
export const operationResources = words('video, image, celebs');

export const videoFields = words(`
  video_id, id, src, thumbnail_url, preview_url, img_src, img_zoom, date, location, city, country, event, author,
  provider, keywords, categories, collections, title, headline, description, alt_text, status, medium, ai_generated,
  model_release, property_release, nsfw, container, codec_video, codec_audio, height, width, aspect_ratio, fps,
  duration_secs`);

export const additiveVideoFields = words('src_path, date_jdn, n_faces, ai_status, ai_reason, bytes_read');

export const defaultVideoFields = words(`
  id, src, thumbnail_url, preview_url, img_src, img_zoom, title, headline, duration_secs`);

/** Additive: the facets of images that videos have too. */
export const videoFacets = imageFacets.filter((name) => !['shot', 'scene', 'technique'].includes(name));

export const videoSorts = ['', ...words('id, src, title, headline, date, date_jdn, duration_secs, height, width')];

/** What a field of a write body holds. */
export type BodyFieldType = 'string' | 'boolean' | 'strings';

const booleans = words('ai_generated, model_release, property_release, nsfw');
const lists = words('keywords, categories, collections');
const readOnly = words('image_id, height, width, n_faces');

type WriteField = readonly [name: string, type: BodyFieldType];

const writeField = (name: string): WriteField => [
  name,
  booleans.includes(name) ? 'boolean' : lists.includes(name) ? 'strings' : 'string',
];

/** The write fields of an image with their types, in the contract's order. */
export const imageWriteFields: readonly WriteField[] = imageFields
  .filter((name) => !readOnly.includes(name))
  .map(writeField);

/** The write fields of a video, in the order of those of an image. */
export const videoWriteFields: readonly WriteField[] = words(`
  src, src_path, thumbnail_url, preview_url, img_src, img_zoom, title, headline, description, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, medium,
  keywords, categories, collections`).map(writeField);

/** What each write field means, for images and videos alike. */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  src: 'Address of the source (http or https); give exactly one of `src` and `src_path`.',
  src_path: 'Path of the source below an allowed media root; the alternative to `src`.',
  url_img_watermark: 'Address of a watermarked rendition, returned as given.',
  url_img_thumbnail: 'Address of a thumbnail, returned as given.',
  thumbnail_url: 'Address of a thumbnail, returned as given.',
  preview_url: 'Address of a preview clip, returned as given.',
  img_src: 'Address of a still image, returned as given.',
  img_zoom: 'Address of an enlarged still image, returned as given.',
  title: 'Short reference name.',
  headline: 'Short descriptive text.',
  caption: 'Long descriptive text.',
  description: 'Long descriptive text.',
  alt_text: 'Accessibility text that describes what is seen.',
  ai_generated: 'Whether it was generated by AI.',
  model_release: 'Whether there is a model release.',
  property_release: 'Whether there is a property release.',
  nsfw: 'Whether it is not safe for work.',
  status: "The caller's own status, free text of up to 64 characters.",
  date: 'Creation date: YYYY-MM-DD, or the periods YYYY-MM and YYYY.',
  location: 'Detailed place that complements city and country.',
  city: 'City name.',
  country: 'Country name.',
  event: 'Related event.',
  author: 'Person or entity that created it.',
  provider: 'Provider, a numeric id or a name, as a string.',
  shot: 'Type of photographic shot.',
  scene: 'Spot, place or visual location.',
  technique: 'Method used to create the artwork.',
  medium: 'Material or digital format.',
  keywords: 'Specific tags.',
  categories: 'General categories.',
  collections: 'Collections that it belongs to.',
};

/** The name of a contract field in the schema: `n_faces` is `nFaces` there. */
export function schemaName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
