import { z } from 'zod';
import { SetupError } from '../errors.ts';

/** How archives are written now; readers refuse what they do not know. */
export const format = 1;

const manifest = z.object({
  format: z.literal(format),
  madeAt: z.string(),
  version: z.string(),
  postgres: z.string(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
});

const end = z.object({
  sequences: z.array(z.object({ name: z.string(), last: z.string().nullable() })),
  /** Of each table: how many rows, and SHA-256 over all its pieces. */
  tables: z.record(z.string(), z.object({ rows: z.number(), sha256: z.string() })),
  files: z.number(),
});

/** The first file of an archive: what it was made from. */
export type Manifest = z.infer<typeof manifest>;
/** The last one: what it holds. An archive without it is cut off. */
export type End = z.infer<typeof end>;

/** @throws SetupError where the text says something else. */
export function parseManifest(text: string): Manifest {
  return parse(manifest, text, 'This archive is of another version of "vitrine backup".');
}

/** @throws SetupError where the text says something else. */
export function parseEnd(text: string): End {
  return parse(end, text, 'The end of the archive cannot be read.');
}

function parse<T>(schema: z.ZodType<T>, text: string, fault: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new SetupError(fault);
  }
}
