import { z } from 'zod';
import { otherFormat } from './members.ts';
import { SetupError } from '../lib/errors.ts';

/** The format of new archives; readers refuse other formats. */
export const format = 2;

const name = z.string().max(200);

const manifest = z.object({
  format: z.literal(format),
  madeAt: z.string().max(50),
  version: z.string().max(50),
  postgres: z.string().max(100),
  migrations: z.array(z.object({ name, checksum: z.string().max(200) })),
  tables: z.array(z.object({ name, columns: z.array(name) })),
});

const end = z.object({
  sequences: z.array(
    z.object({
      name,
      last: z
        .string()
        .regex(/^\d{1,19}$/)
        .nullable(),
    }),
  ),
  /** Number of rows of each table. */
  tables: z.array(z.object({ name, rows: z.number() })),
  files: z.number(),
});

const signature = z.object({
  hmac: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

/** The first file of an archive: describes its source. */
export type Manifest = z.infer<typeof manifest>;
/** Follows the content: lists what the archive contains. */
export type End = z.infer<typeof end>;

/** @throws SetupError if the text is not a manifest of this format. */
export function parseManifest(text: string): Manifest {
  return parse(manifest, text, otherFormat());
}

/** @throws SetupError if the text is invalid. */
export function parseEnd(text: string): End {
  return parse(end, text, new SetupError('The archive is damaged: its end.json cannot be read.'));
}

/** The HMAC of an archive in hexadecimal; null if it was not signed. @throws SetupError if the text is invalid. */
export function parseSignature(text: string): string | null {
  return parse(signature, text, new SetupError('The archive is damaged: its signature.json cannot be read.')).hmac;
}

function parse<T>(schema: z.ZodType<T>, text: string, fault: SetupError): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw fault;
  }
}
