/** Fields of a page, as REST and the tables name them. */
export const fields = ['image_id', 'title', 'headline', 'caption', 'country', 'city', 'author', 'width', 'height', 'n_faces']; // prettier-ignore

/** The same fields as GraphQL names them. */
export const selection = 'imageId title headline caption country city author width height nFaces';

export const pageSize = 50;

/** Values from frequent to rare, requested in turns. */
export const countries = [
  'es',
  'fr',
  'us',
  'pt',
  'it',
  'de',
  'gb',
  'mx',
  'ar',
  'br',
  'ru',
  'cl',
  'co',
  'pe',
  'ma',
  'jp',
];
export const words = [
  'beach',
  'street',
  'sunset',
  'mountain',
  'river',
  'children',
  'playa',
  'calle',
  'ciudad',
  'lighthouse',
];

/** The queries to every server of the comparison, as the SQL that an expert writes for them. */
export const statements = {
  page: `SELECT ${fields.join(', ')} FROM bare_image WHERE tenant_id = $1 AND country = $2
    ORDER BY date_start DESC NULLS LAST, image_id LIMIT ${pageSize}`,
  count: `SELECT count(*)::int AS count FROM bare_image WHERE tenant_id = $1 AND country = $2`,
  word: `SELECT ${fields.join(', ')} FROM bare_image WHERE tenant_id = $1 AND words @@ to_tsquery('simple', $2) LIMIT ${pageSize}`,
} as const;

export type QueryName = keyof typeof statements;
