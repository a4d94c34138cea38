import { resolve } from 'node:path';
import process from 'node:process';
import { SingleBar } from 'cli-progress';
import { Option } from 'commander';
import type { Command } from 'commander';
import { fromRecord } from '../catalog/index.ts';
import type { Resource, WriteElement } from '../catalog/index.ts';
import { ElementError } from '../errors.ts';
import { openWorker } from '../open-worker.ts';
import { hasLiveWorker, onDuplicates, openSight, submitOperation, waitForOperation } from '../operations/index.ts';
import type { OnDuplicate, OperationKindName, OperationWorker } from '../operations/index.ts';
import { TenantIndexes } from '../search/index.ts';
import { forTenant, getTenant } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { openImport, resourceOf } from './import-sources.ts';
import type { ImportRecord } from './import-sources.ts';
import { describeImport, emptySummary, fail } from './import-summary.ts';
import type { Summary } from './import-summary.ts';
import { print } from './output.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';

/** Records that one operation carries; a few are under way at a time. */
const batchSize = 500;
const lookMs = 200;

type Lang = 'en' | 'es' | 'pt' | 'fr' | 'ru';
type Options = Readonly<{
  tenant: string;
  existing: 'skip' | 'patch';
  onDuplicate?: OnDuplicate;
  lang: Lang;
  resource?: Resource;
  json?: boolean;
}>;
type Batch = Readonly<{ resource: Resource; elements: readonly WriteElement[]; places: readonly string[] }>;

export function addImportCommand(program: Command): void {
  program
    .command('import <source>')
    .description(
      'store a folder of pictures and videos, or the records of a .json, .ndjson or .csv file; repeat it to go on',
    )
    .option('--tenant <name>', 'tenant to store for', 'default')
    .addOption(
      new Option('--existing <how>', 'what to do with ids that exist').choices(['skip', 'patch']).default('skip'),
    )
    .addOption(
      new Option(
        '--on-duplicate <rule>',
        "what to do with pictures that are there already; the tenant's rule without it",
      ).choices(onDuplicates),
    )
    .addOption(
      new Option('--lang <lang>', 'language of the texts').choices(['en', 'es', 'pt', 'fr', 'ru']).default('es'),
    )
    .addOption(
      new Option('--resource <kind>', 'what the records are of; by the names of their files without it').choices([
        'image',
        'video',
      ]),
    )
    .option('--json', 'print JSON')
    .action(async (source: string, options: Options) => {
      const summary = await withSession((session) => runImport(session, source, options));
      print(summary, { json: options.json, text: () => describeImport(summary) });
      if (summary.failed > 0) process.exitCode = 1;
    });
}

async function runImport(session: Session, source: string, options: Options): Promise<Summary> {
  const { backing, config } = session;
  const { database } = backing;
  const { total, records } = await openImport(resolve(source), config.mediaRoots);
  const tenant = await getTenant(database, options.tenant);
  const db = forTenant(database, tenant.id);
  const worker = (await hasLiveWorker(database)) ? null : startOwnWorker(session);
  const started = performance.now();
  const summary = emptySummary();
  const bar = createBar(options.json);
  try {
    for await (const batch of intoBatches(records, options, summary)) {
      bar.setTotal(total ?? summary.total);
      await importBatch(session, db, batch, options, summary, (done) => bar.update(done));
    }
  } finally {
    bar.stop();
    await worker?.close();
  }
  summary.seconds = Math.round((performance.now() - started) / 100) / 10;
  return summary;
}

/** A worker for as long as the import takes; it stores, and leaves the analysis to the service. */
function startOwnWorker({ backing, config, logger }: Session): Pick<OperationWorker, 'close'> {
  const sight = openSight({ ai: config.ai, threads: config.workers, logger });
  const similar = new TenantIndexes(config.similarityBytes, config.workers);
  const worker = openWorker({ config, logger, backing, sight, similar }, { analyses: false });
  return {
    async close() {
      await worker.close();
      await sight.close();
      await similar.close();
    },
  };
}

/** Records that have no usable shape fail here; the others go on in batches of images or of videos. */
async function* intoBatches(
  records: AsyncIterable<ImportRecord>,
  { resource: stated }: Options,
  summary: Summary,
): AsyncIterable<Batch> {
  const open = new Map<Resource, { elements: WriteElement[]; places: string[] }>();
  for await (const { place, record } of records) {
    summary.total += 1;
    const resource = stated ?? resourceOf(record);
    let batch = open.get(resource);
    if (batch === undefined) open.set(resource, (batch = { elements: [], places: [] }));
    try {
      batch.elements.push(fromRecord(record, resource));
      batch.places.push(place);
    } catch (error) {
      if (!(error instanceof ElementError)) throw error;
      fail(summary, { id: String(record['id'] ?? ''), place, code: error.code, message: error.message });
    }
    if (batch.elements.length < batchSize) continue;
    open.delete(resource);
    yield { resource, ...batch };
  }
  for (const [resource, batch] of open) if (batch.elements.length > 0) yield { resource, ...batch };
}

async function importBatch(
  session: Session,
  db: TenantDb,
  { resource, elements, places }: Batch,
  options: Options,
  summary: Summary,
  onProgress: (done: number) => void,
): Promise<void> {
  const before = summary.created + summary.patched + summary.skipped + summary.failed;
  const outcome = await write(session, db, `${resource}s.create`, elements, options, (done) =>
    onProgress(before + done),
  );
  summary.created += outcome.good;
  const existing = outcome.errors.filter(({ code }) => code === 'already_exists').map(({ position }) => position);
  for (const { position, code, message } of outcome.errors) {
    if (code !== 'already_exists')
      fail(summary, { id: elements[position]?.id ?? '', place: places[position] ?? '', code, message });
  }
  if (options.existing === 'skip' || existing.length === 0) {
    summary.skipped += existing.length;
    return;
  }
  const patches = existing.flatMap((position) => elements[position] ?? []);
  const patched = await write(session, db, `${resource}s.update`, patches, options, () => {});
  summary.patched += patched.good;
  for (const { position, code, message } of patched.errors) {
    fail(summary, { id: patches[position]?.id ?? '', place: places[existing[position] ?? -1] ?? '', code, message });
  }
}

type Outcome = Readonly<{ good: number; errors: readonly { position: number; code: string; message: string }[] }>;

/** One operation from submission to end, however long it takes. */
async function write(
  { backing, logger }: Session,
  db: TenantDb,
  kind: OperationKindName,
  elements: readonly WriteElement[],
  { lang, onDuplicate }: Options,
  onProgress: (done: number) => void,
): Promise<Outcome> {
  const submission = {
    kind,
    elements,
    wait: false,
    urgent: false,
    strict: false,
    lang,
    onDuplicate: onDuplicate ?? null,
    apiKeyId: null,
  };
  const id = await submitOperation(db, { queue: backing.queue, logger }, submission);
  while (!(await waitForOperation(db, backing.notifications, id, { ms: lookMs }))) {
    const { numGood, numBad } = await db.prisma.operation.findUniqueOrThrow({ where: { id } });
    onProgress(numGood + numBad);
  }
  const { numGood, numBad, errors } = await db.prisma.operation.findUniqueOrThrow({
    where: { id },
    include: { errors: { orderBy: { position: 'asc' } } },
  });
  onProgress(numGood + numBad);
  return { good: numGood, errors };
}

function createBar(json: boolean | undefined): SingleBar {
  const bar = new SingleBar({
    format: '  {bar} {value} of {total} · {duration_formatted}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    noTTYOutput: false,
    stream: process.stderr,
  });
  if (!json) bar.start(0, 0);
  return bar;
}
