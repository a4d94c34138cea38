import { Argument, Option } from 'commander';
import type { Command } from 'commander';
import { findRecord } from '../catalog/index.ts';
import { AppError } from '../lib/errors.ts';
import { checkReach, readDuplicateQuery, submitOperation, waitForOperation } from '../operations/index.ts';
import {
  countRecords,
  findDuplicateSearch,
  groupTiers,
  listDuplicateGroups,
  listDuplicateMembers,
} from '../search/index.ts';
import { giveVerdict, unrestricted, verdicts } from '../similarity/index.ts';
import type { DuplicateSearch, DuplicateMember, GroupTier } from '../search/index.ts';
import type { Verdict } from '../similarity/index.ts';
import { forTenant, getTenant, operator } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { createAliveCheck } from './alive-check.ts';
import { writeLine } from './output.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { tenantDbOf } from './tenant-db.ts';
import { wholeFrom } from './values.ts';
import { withWorker } from './with-worker.ts';

const shownMembers = 10;
const pollMs = 300;

type Options = Readonly<{
  tenant: string;
  tier: GroupTier;
  groups: number;
  minSize?: number;
  last?: boolean;
  json?: boolean;
}>;

type ShownMember = DuplicateMember & Readonly<{ title: string | null; width: number | null; height: number | null }>;
type ShownGroup = Readonly<{ number: number; size: number; members: readonly ShownMember[] }>;
type Shown = Readonly<{ search: DuplicateSearch; count: number; groups: readonly ShownGroup[] }>;

export function addDuplicateCommands(program: Command): void {
  program
    .command('duplicates [formula]')
    .description('find groups of duplicates, among all images or those that match a formula')
    .option('--tenant <name>', 'tenant of the images', 'default')
    .addOption(
      new Option('--tier <tier>', 'near is i===, same is i==, edited is i=').choices(groupTiers).default('same'),
    )
    .option('--groups <n>', 'groups to print, the largest first', wholeFrom(1), 20)
    .option('--min-size <n>', 'minimum number of images in a group', wholeFrom(2))
    .option('--last', 'print the results of the last search, without a new one')
    .option('--json', 'print JSON')
    .action(async (formula: string | undefined, options: Options) => {
      const shown = await withSession((session) => run(session, formula ?? '', options));
      writeLine(shown, { json: options.json, text: () => describe(shown) });
    });
  program
    .command('verdict')
    .description(`judge two images: ${verdicts.join(', ')}; searches respect it`)
    .argument('<first>', 'id of an image')
    .argument('<second>', 'id of another image')
    .addArgument(new Argument('<verdict>', 'what they are').choices(verdicts))
    .option('--tenant <name>', 'tenant of the images', 'default')
    .option('--json', 'print JSON')
    .action(async (first: string, second: string, verdict: Verdict, { tenant, json }: Options) => {
      const given = await withSession(async (session) =>
        judge(await tenantDbOf(session, tenant), first, second, verdict),
      );
      writeLine(given, { json, text: () => `${given.firstId} and ${given.secondId}: ${given.verdict}` });
    });
}

async function judge(db: TenantDb, first: string, second: string, verdict: Verdict) {
  const given = await giveVerdict(db, { ...operator, keyName: null }, { first, second, verdict });
  if (given !== null) return given;
  const ids = [first, second];
  const found = await Promise.all(ids.map((id) => findRecord(db, 'image', id, ['title'])));
  const missing = ids.filter((_, index) => found[index] === null);
  throw new AppError('not_found', missing.map((id) => `No image '${id}'.`).join('\n'));
}

async function run(session: Session, q: string, options: Options): Promise<Shown> {
  const { database } = session.backing;
  const { id, searchVerify: mayVerify, timeZone } = await getTenant(database, options.tenant);
  const db = forTenant(database, id);
  const asked = { q, lang: 'ml', mayVerify, timeZone } as const;
  const found = options.last
    ? await findDuplicateSearch(db, { operationId: null, tier: null })
    : await search(session, db, { ...asked, tier: options.tier }, createProgress({ json: options.json }));
  if (found === null)
    throw new AppError('not_found', 'No search for duplicates has finished yet. Run: vitrine duplicates');
  const filter = { minSize: options.minSize ?? null, maxSize: null, imageId: null, isDecided: null };
  const searchQuery = await readDuplicateQuery(db, { ...asked, q: '' }, {}, unrestricted(new AbortController().signal));
  const page = { page: 1, limit: options.groups };
  const { results, count } = await listDuplicateGroups(db, found.operationId, { ...filter, searchQuery }, page);
  const groups: ShownGroup[] = [];
  for (const group of results) {
    const members = await listDuplicateMembers(db, group, { page: 1, limit: shownMembers });
    groups.push({ ...group, members: await Promise.all(members.map((member) => withRecord(db, member))) });
  }
  return { search: found, count: await count(), groups };
}

type Asked = Parameters<typeof readDuplicateQuery>[1] & Readonly<{ tier: GroupTier }>;

/**
 * Submits a search and waits for its end, however long it takes; without a running service, this process runs the search.
 */
function search(session: Session, db: TenantDb, asked: Asked, progress: Progress): Promise<DuplicateSearch | null> {
  const { backing, logger } = session;
  return withWorker(session, { analyses: true }, async ({ similar }) => {
    const numTotal = await countRecords(
      db,
      await readDuplicateQuery(db, asked, { similar }, unrestricted(new AbortController().signal)),
    );
    checkReach(asked.tier, numTotal);
    const elements = [{ id: 'duplicates', values: { ...asked } }];
    const options = { wait: false, urgent: false, strict: false, lang: null, apiKeyId: null };
    const submission = { kind: 'images.find_duplicates', elements, numTotal, ...options } as const;
    const id = await submitOperation(db, { queue: backing.queue, logger }, submission);
    const checkAlive = createAliveCheck(backing);
    while (!(await waitForOperation(db, backing.notifications, id, { ms: pollMs }))) {
      const { numToAnalyze, numAnalyzed } = await db.prisma.operation.findUniqueOrThrow({ where: { id } });
      await checkAlive(numAnalyzed);
      progress.show(() => `compared ${numAnalyzed} of ${numToAnalyze} images`);
    }
    progress.close();
    const ended = await db.prisma.operation.findUniqueOrThrow({ where: { id }, include: { errors: true } });
    const [error] = ended.errors;
    if (error !== undefined) throw new AppError('invalid_argument', error.message);
    return findDuplicateSearch(db, { operationId: id, tier: null });
  });
}

async function withRecord(db: TenantDb, member: DuplicateMember): Promise<ShownMember> {
  const found = await findRecord(db, 'image', member.imageId, ['title', 'width', 'height']);
  return { ...member, title: found?.title ?? null, width: found?.width ?? null, height: found?.height ?? null };
}

function describe({ search: { tier, distance, ...found }, count, groups }: Shown): string {
  const of = found.formula === '' ? '' : ` that ${found.formula} finds`;
  const head = `${found.numGroups} ${found.numGroups === 1 ? 'group' : 'groups'} with ${found.numGrouped} of ${found.numImages} images${of} (${tier}: ${describeTier[tier](distance)})`;
  const rest =
    count > groups.length ? [`\n… and ${count - groups.length} more groups; to see them, use --groups ${count}`] : [];
  return [head, ...groups.map(describeGroup), ...rest].join('\n');
}

const byDistance = (distance: number) => `at most ${distance} of 256 bits differ`;
const describeTier: Readonly<Record<GroupTier, (distance: number) => string>> = {
  near: byDistance,
  same: byDistance,
  edited: (distance) => `${byDistance(distance)}, or a close comparison agrees`,
};

function describeGroup({ number, size, members }: ShownGroup): string {
  const widest = Math.max(...members.map(({ imageId }) => imageId.length));
  const lines = members.map(({ imageId, isFirst, distance, width, height, title }) => {
    const how = isFirst ? 'stored first' : distance === null ? '' : `${distance} bits`;
    const size = width === null ? '' : `${width} × ${height}`;
    return `  ${imageId.padEnd(widest)}  ${how.padEnd(12)}  ${size.padEnd(13)}  ${title ?? ''}`.trimEnd();
  });
  const rest = size > members.length ? [`  … and ${size - members.length} more`] : [];
  return [`\nGroup ${number} · ${size} images`, ...lines, ...rest].join('\n');
}
