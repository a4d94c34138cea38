import { z } from 'zod';
import { analyzers, areDetails, languages, regionBytes } from '../../analysis/index.ts';
import type { AnalyzerName } from '../../analysis/index.ts';
import { aiStatuses, carriedVersion } from '../../catalog/index.ts';

/** Limits for analyses that callers supply; results of this service's own analyzers stay within them. */
const most = {
  side: 1_000_000,
  bytes: 2 ** 50,
  faces: 10_000,
  found: 1_000,
  lines: 5_000,
  colors: 200,
  frames: 100,
  name: 200,
  text: 10_000,
  ocr: 200_000,
  names: 100_000,
  dimensions: 4096,
  placeholder: 64,
  poster: 2 ** 20,
  details: 8192,
  milliseconds: 1e9,
} as const;

/** Text that the database accepts. */
const text = (length: number) =>
  z
    .string()
    .max(length)
    .refine((value) => !value.includes('\0') && value.isWellFormed(), 'must be Unicode text without NUL');
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/**
 * Decoding a long text and encoding it again takes a seventh of the time of matching the pattern. The pattern decides
 * about the rest: it also allows nonzero padding bits.
 */
const isBase64 = (value: string) => Buffer.from(value, 'base64').toString('base64') === value || base64.test(value);
/** Bytes as base64 without line breaks. */
const bytes = (least: number, greatest = least) =>
  z
    .string()
    .max(Math.ceil(greatest / 3) * 4)
    .refine(isBase64, 'must be base64')
    .refine(
      (value) => {
        const length = Buffer.byteLength(value, 'base64');
        return length >= least && length <= greatest;
      },
      `must have ${least === greatest ? least : `${least} to ${greatest}`} bytes`,
    );
const share = z.number().min(0).max(1);
const count = (greatest: number) => z.int().min(0).max(greatest);
/** A time in the past, or up to a minute in the future, because clocks differ. */
const moment = z.iso
  .datetime()
  .refine(
    (value) => Date.parse(value) <= Date.now() + 60_000 && Date.parse(value) > 0,
    'must be a time that has passed',
  );

const box = z.strictObject({ x: share, y: share, w: share, h: share });
const byLanguage = z.partialRecord(z.enum(languages), text(most.text));

/**
 * The result of each analyzer: `never` for those without one in `facts`. Analyzers that are not listed have a single
 * value.
 */
const results: Readonly<Partial<Record<AnalyzerName, z.ZodType>>> = {
  shape: z.strictObject({
    width: count(most.side),
    height: count(most.side),
    orientation: z.enum(['landscape', 'portrait', 'square']),
  }),
  colors: z.strictObject({
    dominant: z
      .array(
        z.strictObject({
          name: text(40),
          hex: z.string().regex(/^#[0-9a-f]{6}$/),
          percent: z.number().min(0).max(100),
        }),
      )
      .max(most.colors),
    isBlackAndWhite: z.boolean(),
  }),
  embedded: z.record(text(40), z.union([text(most.text), z.boolean(), z.array(text(most.name)).max(most.found)])),
  faces: z.array(z.strictObject({ box, confidence: share })).max(most.faces),
  objects: z
    .array(z.strictObject({ label: text(most.name), box, confidence: share, isConfirmed: z.boolean().optional() }))
    .max(most.found),
  ocr: z.strictObject({
    text: text(most.ocr),
    lines: z.array(z.strictObject({ text: text(most.text), lang: text(40), confidence: share, box })).max(most.lines),
    turned: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  }),
  concepts: z
    .array(
      z.strictObject({
        labels: z.record(z.enum(languages), text(most.name)),
        confidence: share,
        source: z.enum(['objects', 'faces', 'colors', 'embedded', 'model']),
      }),
    )
    .max(most.found),
  caption: byLanguage,
  nsfw: z.strictObject({ isNsfw: z.boolean(), confidence: share }),
  pdq: z.never(),
  localFeatures: z.never(),
  embedding: z.never(),
};
const oneValue = z.union([z.number(), z.boolean(), text(most.text)]);

const origin = {
  analyzer: text(most.name),
  version: text(most.name),
  milliseconds: z.number().min(0).max(most.milliseconds),
};
const outcome = (result: z.ZodType) =>
  z.strictObject({
    ...origin,
    result: result.optional(),
    error: z
      .strictObject({
        code: z.enum(['failed', 'timeout', 'crashed', 'out_of_memory', 'not_available', 'budget_spent']),
        message: text(most.text),
      })
      .optional(),
    warnings: z
      .array(
        z.strictObject({
          code: z.enum(['nothing_recognized', 'ocr_language_unavailable', 'fallback_used', 'caption_refused']),
          message: text(most.text),
        }),
      )
      .max(20)
      .optional(),
  });
const analyzerNames = new Set([...Object.keys(analyzers), ...Object.keys(results)]) as ReadonlySet<AnalyzerName>;
const facts = z.strictObject(
  Object.fromEntries([...analyzerNames].map((name) => [name, outcome(results[name] ?? oneValue).optional()])),
);

const fingerprint = z
  .strictObject({
    pdq: bytes(32).nullable(),
    quality: count(100).nullable(),
    regions: bytes(regionBytes).nullable(),
    details: bytes(1, most.details)
      .refine((packed) => areDetails(Buffer.from(packed, 'base64')), 'must be details of a picture')
      .nullable(),
    embedding: bytes(1, most.dimensions).nullable(),
    model: text(most.name).min(1).nullable(),
  })
  .refine(({ pdq, quality }) => (pdq === null) === (quality === null), 'must have pdq with its quality')
  .refine(({ embedding, model }) => (embedding === null) === (model === null), 'must have an embedding with its model')
  .nullable();

const columns = {
  width: count(most.side).min(1),
  height: count(most.side).min(1),
  byteSize: count(most.bytes),
  aiStatus: z.enum(aiStatuses).nullable(),
  lang: z.enum(languages),
  nFaces: count(most.faces).nullable(),
  ocr: text(most.ocr).nullable(),
  bw: z.boolean().nullable(),
  colors: z
    .array(
      z.strictObject({ name: text(40), hex: z.string().regex(/^[0-9a-f]{6}$/), percent: z.number().min(0).max(101) }),
    )
    .max(most.colors)
    .nullable(),
  concepts: z.array(text(most.names)).length(languages.length).nullable(),
  provenance: z
    .record(
      text(40),
      z.strictObject({
        source: z.enum(['file', 'analyzer']),
        analyzer: text(most.name),
        version: text(most.name),
        confidence: share.nullable(),
      }),
    )
    .nullable(),
  createdAt: moment,
  updatedAt: moment,
};
const word = z.string().regex(/^[\w+.-]{1,40}$/, 'must be a name such as jpeg');

const common = {
  version: z.literal(carriedVersion),
  signature: text(most.name).min(1).nullable(),
  analyzedAt: moment.nullable(),
  facts,
};

/** The shape of an analysis, by kind of record. */
export const carriedShapes = {
  image: z.strictObject({
    ...common,
    columns: z.strictObject({
      ...columns,
      format: word,
      checksum: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal'),
      placeholder: bytes(1, most.placeholder).nullable(),
      duplicateOf: text(255).nullable(),
    }),
    fingerprint,
    frames: z.array(z.never()).max(0),
  }),
  video: z.strictObject({
    ...common,
    columns: z.strictObject({
      ...columns,
      container: word,
      codecVideo: text(40).nullable(),
      codecAudio: text(40).nullable(),
      fps: z.number().min(0).max(100_000).nullable(),
      durationSecs: z.number().min(0).max(1e9),
      byteSize: columns.byteSize.nullable(),
      bytesRead: columns.byteSize.nullable(),
      reading: z.uuid(),
      poster: bytes(1, most.poster)
        .refine((jpeg) => jpeg.startsWith('/9j/'), 'must be a JPEG')
        .nullable(),
      aiReason: text(most.text).nullable(),
    }),
    fingerprint: z.null(),
    frames: z.array(z.strictObject({ timeSecs: z.number().min(0).max(1e9), facts, fingerprint })).max(most.frames),
  }),
} as const;
