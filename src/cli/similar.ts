import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import type { RecordRow } from '../catalog/index.ts';
import { SetupError } from '../lib/errors.ts';
import { analyzerOptions, openImageAnalyzer } from '../analysis/index.ts';
import { uploadQueryImage } from '../tagging/index.ts';
import { alikeTiers, duplicateTiers, TenantIndexes, unrestricted } from '../similarity/index.ts';
import { listRecords, resolveFormula, withMatchExplanation } from '../search/index.ts';
import type { ExplainedRow } from '../search/index.ts';
import { forTenant, getTenant } from '../tenants/index.ts';
import { refusalInWords } from '../lib/system-refusals.ts';
import { writeLine, table } from './output.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';
import { wholeFrom } from './values.ts';

type Options = Readonly<{ tenant: string; tier: string; q: string; limit: number; json?: boolean }>;

const tiers = [...duplicateTiers, ...alikeTiers];

/** `vitrine similar`: finds images that show the same picture as a file, or a similar one. */
export function addSimilarCommand(program: Command): void {
  program
    .command('similar <file>')
    .description('find images that show the same picture as a file, or are similar to it')
    .option('--tenant <name>', 'tenant of the images', 'default')
    .addOption(
      new Option(
        '--tier <tier>',
        'how similar: the same picture (near, same, edited), or similar (scene, subject, theme)',
      )
        .choices(tiers.map(({ tier }) => tier))
        .default('edited'),
    )
    .option('--q <formula>', 'only among the images that match', '')
    .option('--limit <n>', 'maximum number of images', wholeFrom(1), 20)
    .option('--json', 'print JSON')
    .action(similar);
}

async function similar(file: string, { json, ...options }: Options): Promise<void> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new SetupError(`Cannot read ${file}: ${refusalInWords(error) ?? String(error)}.`);
  });
  const { hits, pending } = await withSession(async (session) => ({
    hits: await find(session, bytes, options),
    pending: await countPending(session, options.tenant),
  }));
  writeLine(hits, { json, text: () => describe(hits, pending) });
}

/** How many images are waiting for their analysis: until then, nothing finds them by what they show. */
async function countPending(session: Session, tenant: string): Promise<number> {
  const { prisma } = await tenantDbOf(session, tenant);
  return prisma.image.count({ where: { aiStatus: 'pending' } });
}

type Hit = Readonly<{ id: string; title: string | null }> & ExplainedRow;

async function find(
  { config, logger, backing }: Session,
  bytes: Buffer,
  { tenant, tier, q, limit }: Omit<Options, 'json'>,
): Promise<Hit[]> {
  const { id, searchVerify: mayVerify, timeZone } = await getTenant(backing.database, tenant);
  const db = forTenant(backing.database, id);
  const imageAnalyzer = openImageAnalyzer({ ...analyzerOptions(config), logger });
  const indexes = new TenantIndexes(config.similarityBytes, config.workers, config.similarity);
  const { signal } = new AbortController();
  const options = { resource: 'image', lang: 'ml', mayVerify, timeZone } as const;
  try {
    const resolve = (formula: string) =>
      resolveFormula(db, formula, options, { imageAnalyzer, similar: indexes }, unrestricted(signal));
    // Checked on its own, so that mistakes are reported at their position in what was typed.
    if (q.trim() !== '') await resolve(q);
    const { hash } = await uploadQueryImage(db, bytes, imageAnalyzer, signal);
    const operator = tiers.find((row) => row.tier === tier)?.operator ?? '=';
    const formula = q.trim() === '' ? `i${operator}${hash}` : `i${operator}${hash} (${q})`;
    const searchQuery = await resolve(formula);
    const page = { page: 1, sortBy: '', sortOrder: 'desc', cursor: null, withCursor: false } as const;
    const properties = ['imageId', 'title'];
    const found = await listRecords(db, searchQuery, { ...page, limit, properties });
    return withMatchExplanation(found).results.map(toHit);
  } finally {
    await indexes.close();
    await imageAnalyzer.close();
  }
}

function toHit(row: RecordRow & ExplainedRow): Hit {
  const { similarity = null, match = null } = row;
  return { id: 'imageId' in row ? (row.imageId ?? '') : '', title: row.title ?? null, similarity, match };
}

function describe(hits: readonly Hit[], pending: number): string {
  const images = pending === 1 ? '1 image waits' : `${pending} images wait`;
  const note = pending === 0 ? '' : `\n${images} for analysis, and can be found after it.`;
  if (hits.length === 0) return `No similar image found.${note}`;
  const rows = hits.map(({ id, title, similarity, match }) => [
    id,
    match?.operator ?? '',
    (similarity ?? 0).toFixed(2),
    remarks(match ?? null).join(', '),
    (title ?? '').slice(0, 40),
  ]);
  return table(['IMAGE', 'TIER', 'SIMILARITY', 'FOUND', 'TITLE'], rows) + note;
}

function remarks(match: NonNullable<ExplainedRow['match']> | null): string[] {
  if (match === null) return [];
  const { by, flip, rotation, crop, verified } = match;
  return [
    `by ${by}`,
    ...(flip ? ['flipped'] : []),
    ...(rotation === 0 ? [] : [`rotated by ${rotation}°`]),
    ...(crop ? ['a part'] : []),
    ...(verified ? ['verified'] : []),
  ];
}
