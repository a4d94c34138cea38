import type { Resource } from './fields.ts';

/** Ids of a tenant's records whose file has been stored. */
export type StoredFiles = Readonly<{ tenantId: number; resource: Resource; ids: readonly string[] }>;

/** Facts read from a source, by property name. */
export type SourceFacts = Readonly<Record<string, string | number | null>>;

/** A column that a write sets. */
export type StoredFact = Readonly<{
  name: string;
  property: string;
  /** Its type in the JSON of a write. */
  type: string;
  /** The SQL expression for its value in that JSON. */
  value: string;
}>;

/** What is stored about the source of a record, in addition to what the caller sends. */
type StoredFacts = Readonly<{
  facts: readonly StoredFact[];
  /** Columns that describe the former source; when it changes, they become unknown again. */
  cleared: readonly string[];
  /** The fact that every reading of a source yields: a write that has it sets another source. */
  mark: string;
  /** Columns that a new record takes from the analysis that it brings along; without one, each has its usual value. */
  carried: readonly StoredFact[];
}>;

function fact(name: string, type: string, value?: string): StoredFact {
  const property = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return { name, property, type, value: value ?? `r."${property}"` };
}

/** What analyses and the catalog itself record about images and videos. */
const carried: readonly StoredFact[] = [
  fact('lang', 'language', `COALESCE(r."lang", $3::language, 'es')`),
  fact('n_faces', 'integer'),
  fact('ocr', 'text'),
  fact('bw', 'boolean'),
  fact('colors', 'jsonb'),
  fact('concepts', 'text[]'),
  fact('provenance', 'jsonb'),
  fact('created_at', 'timestamptz', 'COALESCE(r."createdAt", now())'),
  fact('updated_at', 'timestamptz', 'COALESCE(r."updatedAt", now())'),
];

/** Columns from the file, for each kind of record. */
export const storedFactsOf: Readonly<Record<Resource, StoredFacts>> = {
  image: {
    facts: [
      fact('width', 'integer'),
      fact('height', 'integer'),
      fact('format', 'text'),
      fact('byte_size', 'bigint'),
      fact('checksum', 'text', `decode(r."checksum", 'hex')`),
      fact('placeholder', 'text', `decode(r."placeholder", 'base64')`),
      fact('ai_status', 'text'),
    ],
    cleared: ['n_faces', 'ocr', 'bw', 'colors', 'concepts', 'duplicate_of'],
    mark: 'checksum',
    carried: [...carried, fact('duplicate_of', 'text')],
  },
  video: {
    facts: [
      fact('container', 'text'),
      fact('codec_video', 'text'),
      fact('codec_audio', 'text'),
      fact('width', 'integer'),
      fact('height', 'integer'),
      fact('fps', 'float8'),
      fact('duration_secs', 'float8'),
      fact('byte_size', 'bigint'),
      fact('bytes_read', 'bigint'),
      fact('reading', 'uuid'),
      fact('poster', 'text', `decode(r."poster", 'base64')`),
      fact('ai_status', 'text'),
      fact('ai_reason', 'text'),
    ],
    cleared: ['n_faces', 'ocr', 'bw', 'colors', 'concepts'],
    mark: 'reading',
    carried,
  },
};
