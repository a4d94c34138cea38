import { fieldsOf, writableFieldsOf } from '../../src/catalog/fields.ts';
import type { Field } from '../../src/catalog/fields.ts';
import { formulaFieldsOf } from '../../src/catalog/formula-fields.ts';

/**
 * The closed lists of the contract: names in contract order, as legacy clients know them. Additional fields follow in
 * the order of the field table.
 */

const words = (text: string): readonly string[] => text.trim().split(/[\s,]+/);

export const imageFields = words(`
  image_id, src, src_path, url_img_watermark, url_img_thumbnail, title, headline, caption, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, shot, scene,
  technique, medium, keywords, categories, collections, height, width, n_faces`);

/** Fields of the table that the contract does not name. */
const beyond = (fields: readonly Field[], known: readonly string[]): readonly string[] =>
  fields.filter(({ name, inRest }) => inRest && !known.includes(name)).map(({ name }) => name);

/** Fields of records beyond the contract; returned only on request. */
export const additiveImageFields = ['ai_status', ...beyond(fieldsOf.image, imageFields), 'preview_url'];

export const defaultImageFields = words(`
  height, width, src, url_img_watermark, url_img_thumbnail, n_faces, title, headline, caption`);

/**
 * What a parameter accepts: the values of the contract, which its error messages list for legacy clients, and
 * additional ones.
 */
export type Choices = Readonly<{ contract: readonly string[]; also: readonly string[] }>;

const choices = (contract: readonly string[], fields: readonly Field[]): Choices => ({
  contract,
  also: beyond(fields, contract),
});

const contractImageSorts = words(`
  image_id, src, url_img_watermark, url_img_thumbnail, height, width, aspect_ratio, n_faces, date, title, headline,
  caption, location, city, country, event, author, provider, shot, scene, medium, technique, similarity, sim`);
const sortable = (fields: readonly Field[]) => fields.filter(({ sort }) => sort);
export const imageSorts = choices(['', ...contractImageSorts], sortable(fieldsOf.image));

const contractImageFacets = words(`
  ai_generated, model_release, property_release, nsfw, orientation, status, location, city, country, event, author,
  provider, shot, scene, medium, technique, keywords, categories, collections`);
/** Facets may also be fields that only formulas have, such as `bw`. */
const facetChoices = (contract: readonly string[], resource: keyof typeof fieldsOf): Choices => {
  const counted = formulaFieldsOf(resource).filter(({ facet }) => facet);
  return { contract, also: counted.map(({ name }) => name).filter((name) => !contract.includes(name)) };
};
export const imageFacets = facetChoices(contractImageFacets, 'image');

export const writeLanguages = words('en, es, pt, fr, ru');
export const searchLanguages = words('ml, en, es');
/** Additive: languages in which formulas are explained. */
export const explanationLanguages = words('en, es');
/** Additive: how facets are counted. */
export const facetModeNames = words('conjunctive, disjunctive');
/** Additive: what happens to a picture that already exists. */
export const onDuplicateRules = words('keep, flag, reject');
/** Additive: the possible verdicts on two images. */
export const verdictNames = words('same, variant, different');
/** Additive: outcomes of an element of an operation, and what undo does with fields that have changed since. */
export const changeKindNames = words('created, changed, unchanged, deleted, failed');
export const onConflictRules = words('skip, overwrite, fail');
/** Additive: how certain the duplicates of a group are. */
export const groupTierNames = words('near, same, edited');
/** How a picture is tagged. */
export const tagModes = words('editorial');
export const fileFormats = words('csv, ndjson, analyzed, zip');
export const sortOrders = words('asc, desc');
export const operationMethods = words('add, upd, del, multiple');
export const operationResources = words('video, image, celebs');

export const videoFields = words(`
  video_id, id, src, thumbnail_url, preview_url, img_src, img_zoom, date, location, city, country, event, author,
  provider, keywords, categories, collections, title, headline, description, alt_text, status, medium, ai_generated,
  model_release, property_release, nsfw, container, codec_video, codec_audio, height, width, aspect_ratio, fps,
  duration_secs`);

export const additiveVideoFields = [...beyond(fieldsOf.video, videoFields), 'poster_url', 'filmstrip_url', 'file_url'];

export const defaultVideoFields = words(`
  id, src, thumbnail_url, preview_url, img_src, img_zoom, title, headline, duration_secs`);

/** Additive: the facets of images that videos have too. */
const sharedFacets = contractImageFacets.filter((name) => !['shot', 'scene', 'technique'].includes(name));
export const videoFacets = facetChoices(sharedFacets, 'video');

const contractVideoSorts = words('id, src, title, headline, date, date_jdn, duration_secs, height, width');
export const videoSorts = choices(['', ...contractVideoSorts], sortable(fieldsOf.video));

/** Type of a field in a write body. */
export type BodyFieldType = 'string' | 'boolean' | 'strings';

export type WriteField = Readonly<{ name: string; type: BodyFieldType; description: string }>;

/** The fields that callers may write: those of the contract in its order, then the others. */
function writeFields(fields: readonly Field[], contract: readonly string[]): readonly WriteField[] {
  const byName = new Map(fields.map((field) => [field.name, field]));
  return [...contract.filter((name) => byName.has(name)), ...beyond(fields, contract)].map((name) => {
    const { type, description } = byName.get(name) as Field;
    return {
      name,
      type: type === 'boolean' ? 'boolean' : type === 'list' ? 'strings' : 'string',
      description: writeDescriptions[name] ?? description,
    };
  });
}

/** Descriptions of write fields for which the field table describes only the value that is read. */
const writeDescriptions: Readonly<Record<string, string>> = {
  src: 'URL of the source (http or https); give exactly one of `src` and `src_path`.',
  src_path:
    'Path of the source below an allowed media root, or the `src_path` that `POST /uploads` returned; the alternative to `src`.',
  url_img_watermark: 'URL of a watermarked rendition, returned as given.',
  url_img_thumbnail: 'URL of a thumbnail, returned as given.',
  thumbnail_url: 'URL of a thumbnail, returned as given.',
  preview_url: 'URL of a preview clip, returned as given.',
  img_src: 'URL of a still image, returned as given.',
  img_zoom: 'URL of an enlarged still image, returned as given.',
  model_release: 'Whether there is a model release.',
  property_release: 'Whether there is a property release.',
  status: "The caller's own status, free text of up to 64 characters.",
  provider: 'Provider, a numeric id or a name, as a string.',
};

export const imageWriteFields = writeFields(writableFieldsOf.image, imageFields);

/** In the same order as those of images. */
export const videoWriteFields = writeFields(
  writableFieldsOf.video,
  words(`
  src, src_path, thumbnail_url, preview_url, img_src, img_zoom, title, headline, description, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, medium,
  keywords, categories, collections`),
);

/** The schema's name for a contract field: `n_faces` becomes `nFaces`. */
export function schemaName(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
