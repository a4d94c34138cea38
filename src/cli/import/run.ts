import type { Resource } from '../../catalog/index.ts';
import { SetupError } from '../../lib/errors.ts';
import { hasLiveWorker, liveMediaRoots } from '../../operations/index.ts';
import type { OnDuplicate } from '../../operations/index.ts';
import type { TenantDb } from '../../tenants/index.ts';
import type { Language } from '../../analysis/index.ts';
import { createAliveCheck } from '../alive-check.ts';
import type { Progress } from '../progress.ts';
import type { Session } from '../session.ts';
import { tenantDbOf } from '../tenant-db.ts';
import { withWorker } from '../with-worker.ts';
import { describeAnalyzed, describeStored, readStages, unfinishedOperations, waitForStage } from '../stages.ts';
import type { Stages } from '../stages.ts';
import { intoBatches, languageNames, languageOf, surveyImport } from '../../tables/index.ts';
import type { ImportSource, LanguageOf } from '../../tables/index.ts';
import type { RemoteName } from './remote/index.ts';
import { openImport, rootOf } from './sources.ts';
import { doneOf, emptySummary, addFailure } from './summary.ts';
import type { Summary } from './summary.ts';
import { chooseLanguage, detectEmbedded, refuseUnknown } from './survey.ts';
import type { LangOption } from './survey.ts';
import { storeBatch } from './write.ts';

export type ImportOptions = Readonly<{
  tenant: string;
  existing: 'skip' | 'patch';
  onDuplicate?: OnDuplicate;
  lang?: LangOption;
  resource?: Resource;
  respectLocks?: boolean;
  ignoreUnknown?: boolean;
  wait?: boolean;
  /** False: no source is read, because each record contains its analysis. */
  fetch?: boolean;
  /** The prefix of the ids of a folder's files. */
  idPrefix?: string;
  /** The kind of catalog that is imported by its API, a file with its key, and the folder for its originals. */
  from?: RemoteName;
  keyFile?: string;
  into?: string;
}>;

/** The session, and how a person follows and stops the import. */
type ImportContext = Readonly<{ session: Session; progress: Progress; signal: AbortSignal }>;

/** Imports pictures and their folders, a table, or another catalog. @throws SetupError for options that do not belong together. */
export async function runImport(
  context: ImportContext,
  paths: readonly string[],
  options: ImportOptions,
): Promise<Summary> {
  const { session } = context;
  const { database } = session.backing;
  const hasService = await hasLiveWorker(database);
  const live = hasService ? await liveMediaRoots(database) : [];
  const mediaRoots = live.length > 0 ? live : session.config.mediaRoots;
  const { from, keyFile, into, idPrefix } = options;
  if (from === undefined) {
    if (keyFile === undefined && into === undefined)
      return importFrom({ ...context, hasService }, paths, options, await openImport(paths, mediaRoots, idPrefix));
    throw new SetupError('--key-file and --into need --from, the kind of catalog to import');
  }
  if (keyFile === undefined || into === undefined) {
    throw new SetupError(
      `--from ${from} needs --key-file, a file with a key of that catalog, and --into, a folder below a media root for its originals`,
    );
  }
  const [address = '', ...others] = paths;
  if (others.length > 0) throw new SetupError(`--from ${from} needs one address, not ${paths.length}`);
  const { openRemote, withFolder } = await import('./remote/index.ts');
  return withFolder(into, async (folder) => {
    const root = await rootOf(folder, mediaRoots);
    const source = await openRemote(address, { from, keyFile, signal: context.signal }, { folder, root });
    return importFrom({ ...context, hasService }, paths, options, source);
  });
}

/** Reads a source once to survey it, then stores it batch by batch; with `wait`, also waits for the analysis. */
async function importFrom(
  context: ImportContext & Readonly<{ hasService: boolean }>,
  [first = '', ...others]: readonly string[],
  options: ImportOptions,
  source: ImportSource,
): Promise<Summary> {
  const { session, progress, hasService } = context;
  const isAnalyzed = options.fetch === false;
  const survey = await surveyImport((source.described ?? source.read)(), { resource: options.resource, isAnalyzed });
  if (options.ignoreUnknown !== true) refuseUnknown(first, survey);
  const lang = isAnalyzed ? null : (chooseLanguage(options.lang, survey) ?? (await detectEmbedded(source)));
  const db = await tenantDbOf(session, options.tenant);
  const summary = { ...emptySummary(), total: survey.total, lang, ignored: [...survey.unknown.keys()], hasService };
  const name = others.length === 0 ? first : `${first} and ${others.length} more`;
  progress.note(opening(name, source, options, summary));
  const started = performance.now();
  context.signal.addEventListener('abort', () => progress.note('Stopping: waiting for the running write.'));
  const now = () => (performance.now() - started) / 1000;
  const analyses = options.wait === true;
  const imported = withWorker(session, { analyses }, async ({ stop }) => {
    await storeAll({ ...context, db, langOf: languageOf(lang, survey), options, source, summary, now, stop });
    if (analyses && !context.signal.aborted) await awaitAnalysis({ ...context, db, summary, now });
  });
  await imported.finally(() => progress.close());
  await countAnalysis(db, summary);
  summary.seconds = Math.round(now() * 10) / 10;
  return summary;
}

/** Describes what will be imported, and what was detected because it was not specified. */
function opening(
  name: string,
  { notes }: ImportSource,
  { lang: asked, fetch }: ImportOptions,
  summary: Summary,
): string {
  const { total, lang, ignored } = summary;
  const records = `${total} ${total === 1 ? 'record' : 'records'}`;
  const how = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const language =
    fetch === false
      ? 'No source is read: each record has its language and its analysis'
      : lang === null
        ? 'No texts to detect a language from: new ones will be Spanish. For English: --lang en'
        : lang === 'each'
          ? 'Language of the texts: detected for each record'
          : asked === undefined
            ? `Language of the texts: ${languageNames[lang as Language]}, detected. For another: --lang`
            : null;
  const left = ignored.length === 0 ? [] : [`Left out: ${ignored.join(', ')}`];
  return [`Importing ${records} of ${name}${how}.`, ...(language === null ? [] : [language]), ...left].join('\n');
}

type Storing = ImportContext &
  Readonly<{
    db: TenantDb;
    options: ImportOptions;
    langOf: LanguageOf;
    source: ImportSource;
    summary: Summary;
    now: () => number;
    stop: () => Promise<void>;
  }>;

/** Maximum number of operations with analyses that run or wait while the next records are read. */
const analyzedInFlight = 3;

function describeRunning(summary: Summary, running: readonly (Stages | null)[], seconds: number): string {
  const sum = (of: (stages: Stages) => number) =>
    running.reduce((all, each) => all + (each === null ? 0 : of(each)), 0);
  const done = Math.min(doneOf(summary) + sum(({ stored, failed }) => stored + failed), summary.total);
  const toAnalyze = sum((stages) => stages.toAnalyze);
  const analyzed = sum((stages) => stages.analyzed + stages.analysisFailed);
  const analysis = toAnalyze === 0 ? '' : ` · analyzed ${analyzed} of ${toAnalyze}`;
  return describeStored(done, summary.total, summary.failed, seconds) + analysis;
}

async function storeAll({
  source,
  langOf,
  options,
  summary,
  progress,
  now,
  signal,
  ...context
}: Storing): Promise<void> {
  const batches = intoBatches(source.read(), {
    resource: options.resource,
    langOf,
    isAnalyzed: options.fetch === false,
    onFault: ({ id, place, code, message }) => addFailure(summary, { id, place, code, message }),
  });
  const running = new Map<Promise<void>, Stages | null>();
  const show = () => progress.show(() => describeRunning(summary, [...running.values()], now()));
  const most = options.fetch === false ? analyzedInFlight : 1;
  const { idsFromPlaces = false } = source;
  try {
    for await (const batch of batches) {
      if (signal.aborted) break;
      const onStages = (stages: Stages) => {
        running.set(storing, stages);
        show();
      };
      const storing = storeBatch({ ...context, options, idsFromPlaces, summary, signal, onStages }, batch).then(() => {
        running.delete(storing);
      });
      storing.catch(() => {}); // Whoever waits next throws the error.
      running.set(storing, null);
      if (running.size >= most) await Promise.race(running.keys());
    }
    await Promise.all(running.keys());
  } finally {
    await Promise.allSettled(running.keys());
  }
  if (signal.aborted) summary.interrupted ??= { operation: null, left: 0 };
}

/** Waits for the analysis, including what earlier imports left: a repeated import stores nothing, but still waits for it. */
async function awaitAnalysis({
  session,
  db,
  summary,
  progress,
  now,
  signal,
}: Pick<Storing, 'session' | 'db' | 'summary' | 'progress' | 'now' | 'signal'>): Promise<void> {
  const unfinished = await unfinishedOperations(db);
  summary.operations = [...new Set([...unfinished.map(Number), ...summary.operations])];
  const ids = summary.operations.map(BigInt);
  const checkAlive = createAliveCheck(session.backing);
  const onStages = async (stages: Stages) => {
    progress.show(() => describeAnalyzed(stages, now()));
    const { stored, failed, analyzed, analysisFailed, isFinished } = stages;
    if (!isFinished) await checkAlive(stored + failed + analyzed + analysisFailed);
  };
  const { isFinished } = await waitForStage(db, ids, 'isFinished', { signal, onStages });
  if (!isFinished) summary.interrupted ??= { operation: null, left: 0 };
}

async function countAnalysis(db: TenantDb, summary: Summary): Promise<void> {
  const { toAnalyze, analyzed, analysisFailed } = await readStages(db, summary.operations.map(BigInt));
  Object.assign(summary, { toAnalyze, analyzed, analysisFailed });
}
