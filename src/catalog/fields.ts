/**
 * The one list of record fields. The schema, the REST parameters' meaning, checks, SQL, sorting and
 * the documentation read it; a field is added here and in prisma/schema.prisma, nowhere else.
 */

/** What a record is of. */
export const resources = ['image', 'video'] as const;
export type Resource = (typeof resources)[number];

/** What values a field holds. `text` is prose, `keyword` a value that is compared as a whole, `duration` seconds. */
export type FieldType = 'text' | 'keyword' | 'list' | 'boolean' | 'date' | 'integer' | 'number' | 'duration' | 'time';

/** Who sets a field: the caller, or Vitrine from the file. */
export type FieldAccess = 'identifier' | 'write' | 'read';

/** PostgreSQL's classes of weight. */
export type TextWeight = 'A' | 'B' | 'C' | 'D';

export type Field = Readonly<{
  /** The name in the contract, in formulas and in the database. */
  name: string;
  /** The name in TypeScript and GraphQL. */
  property: string;
  type: FieldType;
  access: FieldAccess;
  /** The SQL expression of its value: the column of its name, where the row says nothing else. */
  sql: string;
  /** Whether `sort_by` accepts it. */
  sort: boolean;
  /** Whether every record has a value. */
  isPresent: boolean;
  /** Longest text in code points. */
  maxLength: number;
  /** Whether formulas can ask for it. */
  inFormulas: boolean;
  /** Whether `facets` accepts it. */
  facet: boolean;
  /** Its weight in bare text, A the heaviest; null where bare text does not look. */
  weight: TextWeight | null;
  description: string;
}>;

const longText = 10_000;

type SharedField = Omit<Field, 'sort'>;

/** A row of the table: a field, which records have it, and which can be sorted by it. */
type Row = Readonly<{ field: SharedField; of: readonly Resource[]; sort: readonly Resource[] }>;

type Options = Partial<Omit<SharedField, 'name' | 'property' | 'type' | 'description'> & Omit<Row, 'field'>>;

const images: readonly Resource[] = ['image'];
const videos: readonly Resource[] = ['video'];

function field(
  name: string,
  type: FieldType,
  description: string,
  { of = resources, sort = [], ...options }: Options = {},
): Row {
  const property = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const own: SharedField = {
    name,
    property,
    type,
    access: 'write',
    sql: name,
    isPresent: false,
    maxLength: longText,
    inFormulas: true,
    facet: false,
    weight: null,
    description,
    ...options,
  };
  return { field: own, of, sort };
}

const sorted: Options = { sort: resources };
const faceted: Options = { facet: true };
/** Counted for both, sorted by for images: the contract's list for videos is short. */
const listed: Options = { sort: images, facet: true };
/** Kept for the caller, not looked for. */
const carried: Options = { inFormulas: false };
const ofImages: Options = { of: images };
const ofVideos: Options = { of: videos };
const id: Options = { access: 'identifier', isPresent: true, maxLength: 255 };
/** From the file. */
const fact: Options = { access: 'read', isPresent: true };
/** What formulas know under a row of formula-fields.ts. */
const derived: Options = { access: 'read', inFormulas: false, of: videos };

const rows: readonly Row[] = [
  field('image_id', 'keyword', 'Identifier, unique within the tenant.', { ...id, of: images, sort: images }),
  field('video_id', 'keyword', 'Identifier, unique within the tenant.', { ...id, of: videos }),
  field('id', 'keyword', 'The identifier under its other name.', {
    ...derived,
    sql: 'video_id',
    sort: videos,
    isPresent: true,
  }),
  field('src', 'keyword', 'Address of the source, http or https. A record has this or a path, not both.', sorted),
  field(
    'src_path',
    'keyword',
    'Path of the source below a media root. A record has this or an address, not both.',
    carried,
  ),
  field('url_img_watermark', 'keyword', 'Address of a watermarked rendition, kept as given.', {
    ...carried,
    of: images,
    sort: images,
  }),
  field('url_img_thumbnail', 'keyword', 'Address of a thumbnail, kept as given.', {
    ...carried,
    of: images,
    sort: images,
  }),
  field('thumbnail_url', 'keyword', 'Address of a thumbnail, kept as given.', { ...carried, of: videos }),
  field('preview_url', 'keyword', 'Address of a preview clip, kept as given.', { ...carried, of: videos }),
  field('img_src', 'keyword', 'Address of a still picture, kept as given.', { ...carried, of: videos }),
  field('img_zoom', 'keyword', 'Address of an enlarged still picture, kept as given.', { ...carried, of: videos }),
  field('title', 'text', 'Short reference name.', { ...sorted, weight: 'A' }),
  field('headline', 'text', 'Short descriptive text.', { ...sorted, weight: 'A' }),
  field('caption', 'text', 'Long descriptive text.', { of: images, sort: images, weight: 'C' }),
  field('description', 'text', 'Long descriptive text.', { of: videos, weight: 'C' }),
  field('alt_text', 'text', 'Accessibility text that describes what is seen.', { weight: 'C' }),
  field('ai_generated', 'boolean', 'Whether it was generated by AI.', faceted),
  field('model_release', 'boolean', 'Whether it has a model release.', faceted),
  field('property_release', 'boolean', 'Whether it has a property release.', faceted),
  field('nsfw', 'boolean', 'Whether it is not safe for work.', faceted),
  field('status', 'keyword', 'Current status, free text of up to 64 characters.', { ...faceted, maxLength: 64 }),
  field('date', 'date', 'Creation date: YYYY-MM-DD, or the periods YYYY-MM and YYYY.', sorted),
  field('location', 'text', 'Detailed place that complements city and country.', { ...listed, weight: 'D' }),
  field('city', 'keyword', 'City name.', { ...listed, weight: 'D' }),
  field('country', 'keyword', 'Country name.', { ...listed, weight: 'D' }),
  field('event', 'text', 'Related event.', { ...listed, weight: 'C' }),
  field('author', 'keyword', 'Person or entity that created it.', { ...listed, weight: 'D' }),
  field('provider', 'keyword', 'Provider, a numeric id or a name.', listed),
  field('shot', 'keyword', 'Type of photographic shot.', { ...listed, ...ofImages }),
  field('scene', 'keyword', 'Spot, place or visual location.', { ...listed, ...ofImages }),
  field('technique', 'keyword', 'Method used to create the artwork.', { ...listed, ...ofImages }),
  field('medium', 'keyword', 'Material or digital format.', listed),
  field('keywords', 'list', 'Specific tags.', { ...faceted, weight: 'B' }),
  field('categories', 'list', 'General categories.', { ...faceted, weight: 'B' }),
  field('collections', 'list', 'Collections that it belongs to.', faceted),
  field('height', 'integer', 'Height in pixels, upright.', { ...fact, sort: resources }),
  field('width', 'integer', 'Width in pixels, upright.', { ...fact, sort: resources }),
  field('n_faces', 'integer', 'Number of human faces, of a video the most of one frame; null before the analysis.', {
    access: 'read',
    sort: images,
  }),
  field(
    'duplicate_of',
    'keyword',
    'Id of the image that showed the same picture when this one was stored, where it was flagged.',
    {
      access: 'read',
      of: images,
    },
  ),
  field('aspect_ratio', 'number', 'Width divided by height.', {
    ...derived,
    sql: '(width::float8 / NULLIF(height, 0))',
  }),
  field('container', 'keyword', 'File format, such as mp4, mov, webm or mkv.', { ...fact, ...ofVideos }),
  field('codec_video', 'keyword', 'Codec of the pictures, such as h264.', { ...ofVideos, access: 'read' }),
  field('codec_audio', 'keyword', 'Codec of the sound; null without sound.', { ...ofVideos, access: 'read' }),
  field('fps', 'number', 'Pictures per second; their average where the rate varies.', { ...ofVideos, access: 'read' }),
  field('duration_secs', 'duration', 'Length in seconds.', { ...fact, ...ofVideos, sort: videos }),
  field('date_jdn', 'integer', 'Julian day number of the date, of a period its first day.', {
    ...derived,
    sql: `to_char(date_start, 'J')::integer`,
    sort: videos,
  }),
  field('ai_status', 'keyword', 'State of the analysis of its frames: pending, ready, failed or stale.', derived),
  field('ai_reason', 'text', 'Why the analysis failed, where it did.', derived),
  field('bytes_read', 'integer', 'Bytes that were taken of the source to store it, 128 MiB at most.', {
    ...derived,
    sql: 'LEAST(bytes_read, 2147483647)::integer',
  }),
  field('created_at', 'time', 'When the record was stored.', fact),
  field('updated_at', 'time', 'When the record was last changed.', fact),
];

/** The fields of a resource, with the identifier first. */
export const fieldsOf: Readonly<Record<Resource, readonly Field[]>> = {
  image: tableOf('image'),
  video: tableOf('video'),
};

function tableOf(resource: Resource): readonly Field[] {
  return rows
    .filter(({ of }) => of.includes(resource))
    .map(({ field, sort }) => ({ ...field, sort: sort.includes(resource) }));
}

/** Every field with the records that have it, for formulas, which are asked of both. */
export const allFields: readonly Omit<Row, 'sort'>[] = rows;

/** The fields that a caller may write, `src` and `src_path` among them. */
export const writableFieldsOf: Readonly<Record<Resource, readonly Field[]>> = {
  image: fieldsOf.image.filter(({ access }) => access === 'write'),
  video: fieldsOf.video.filter(({ access }) => access === 'write'),
};

/** Most elements of a list field, and the longest element in code points. */
export const listLimits = { elements: 1000, length: 200 } as const;
