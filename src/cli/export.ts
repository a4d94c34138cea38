import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import { resources } from '../catalog/index.ts';
import type { Resource } from '../catalog/index.ts';
import { exportedColumns, exportFormatNames, openConfiguredExports } from '../exports/index.ts';
import type { ExportFormat, ExportFile } from '../exports/index.ts';
import { AppError } from '../lib/errors.ts';
import {
  abortOperation,
  elementFailures,
  maxExported,
  submitOperation,
  waitForOperation,
} from '../operations/index.ts';
import type { ElementFailure } from '../operations/index.ts';
import { correctWords, findIds, resolveFormula } from '../search/index.ts';
import { unrestricted } from '../similarity/index.ts';
import { forTenant, getTenant, operator } from '../tenants/index.ts';
import type { TenantDb } from '../tenants/index.ts';
import { createAliveCheck } from './alive-check.ts';
import { interruptible } from './interrupt.ts';
import { checkOutputFile } from './output-file.ts';
import { writeLine } from './output.ts';
import { createProgress, pace } from './progress.ts';
import type { Progress } from './progress.ts';
import { withSession } from './session.ts';
import type { Session } from './session.ts';
import { withWorker } from './with-worker.ts';
import { writeWhole } from './write-whole.ts';

type Options = Readonly<{
  format: ExportFormat;
  output?: string;
  fields?: string;
  resource: Resource;
  sort: string;
  order: 'asc' | 'desc';
  tenant: string;
  json?: boolean;
}>;

/** Maximum number of failed records that are printed. */
const shownFaults = 10;
const pollMs = 500;

/** `vitrine export`: writes the records that a formula finds to a file. */
export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('export what a formula finds: as CSV, as NDJSON, or the files with their metadata as ZIP')
    .argument('[formula]', 'formula that selects the records; by default all')
    .addOption(new Option('--format <format>', 'format of the file').choices(exportFormatNames).default('csv'))
    .option('--output <file>', 'where to write it; by default under its own name, - for standard output')
    .option('--fields <names>', 'fields, separated by commas; by default those that an import reads back')
    .addOption(new Option('--resource <resource>', 'kind of records').choices(resources).default('image'))
    .option('--sort <field>', 'field to sort by; by default the best matches first', '')
    .addOption(new Option('--order <order>', 'direction of sorting').choices(['asc', 'desc']).default('desc'))
    .option('--tenant <name>', 'tenant of the records', 'default')
    .option('--json', 'print JSON')
    .action(async (formula: string | undefined, options: Options) => {
      if (options.output !== undefined) await checkOutputFile(options.output);
      const json = options.json ?? options.output === '-';
      const progress = createProgress({ json });
      const done = await interruptible((signal) =>
        withSession((session) => run(session, formula ?? '', options, { progress, signal })),
      );
      if (options.output !== '-') writeLine(done, { json: options.json, text: () => describe(done) });
      if (done.failed > 0) process.exitCode = 1;
    });
}

type Done = Readonly<{
  operation: number;
  output: string;
  format: ExportFormat;
  bytes: number;
  exported: number;
  failed: number;
  failures: readonly ElementFailure[];
}>;

type Following = Readonly<{ progress: Progress; signal: AbortSignal }>;

/** Exports and downloads the file. @throws the reason of the signal if it fires */
async function run(session: Session, q: string, options: Options, following: Following): Promise<Done> {
  const { backing, config, logger } = session;
  const { format, fields, resource, sort: sortBy, order: sortOrder } = options;
  const { id: tenantId, searchVerify: mayVerify, timeZone } = await getTenant(backing.database, options.tenant);
  const db = forTenant(backing.database, tenantId);
  const names = fields?.split(',').map((name) => name.trim()) ?? null;
  exportedColumns(resource, names);
  const exports = openConfiguredExports(backing.database, config);
  return withWorker(session, { analyses: true }, async ({ similar }) => {
    const asked = { resource, lang: 'ml', mayVerify, timeZone } as const;
    const query = await resolveFormula(db, q, asked, { similar }, unrestricted(following.signal));
    const ids = await findIds(db, await correctWords(db, query), { sortBy, sortOrder, most: maxExported });
    const values = { format, fields: names };
    const elements = ids.map((id) => ({ id, values }));
    const flags = { wait: false, urgent: false, strict: false, lang: null, apiKeyId: null };
    const submission = { kind: `${resource}s.export` as const, elements, ...flags };
    const id = await submitOperation(db, { queue: backing.queue, logger }, submission);
    await waitForEnd(session, db, id, following);
    const file = await exports.find(db, id);
    const failures = await elementFailures(db, BigInt(id), { limit: shownFaults, offset: 0 });
    if (file === null) throw new AppError('invalid_argument', failures[0]?.message ?? 'The export was aborted.');
    const output = options.output ?? file.name;
    await fetchFile(exports.read(db, file), output, following.signal);
    return summaryOf(file, { operation: id, output, failures, failed: elements.length - file.numRecords });
  }).finally(() => exports.close());
}

function summaryOf(
  { format, byteSize: bytes, numRecords: exported }: ExportFile,
  rest: Pick<Done, 'operation' | 'output' | 'failures' | 'failed'>,
): Done {
  return { format, bytes, exported, ...rest };
}

/** Waits for the end of an operation; an interrupt aborts the operation. @throws the reason of the signal if it fires */
async function waitForEnd(
  { backing }: Session,
  db: TenantDb,
  id: number,
  { progress, signal }: Following,
): Promise<void> {
  const started = performance.now();
  const checkAlive = createAliveCheck(backing);
  try {
    while (!(await waitForOperation(db, backing.notifications, id, { ms: pollMs }))) {
      if (signal.aborted) await abortOperation(db, id, operator);
      signal.throwIfAborted();
      const { numTotal, numGood, numBad } = await db.prisma.operation.findUniqueOrThrow({ where: { id } });
      const done = numGood + numBad;
      const seconds = (performance.now() - started) / 1000;
      await checkAlive(done);
      progress.show(() => `exported ${done} of ${numTotal}${pace(done, numTotal, seconds)}`);
    }
  } finally {
    progress.close();
  }
}

async function fetchFile(bytes: AsyncIterable<Uint8Array>, output: string, signal: AbortSignal): Promise<void> {
  const source = Readable.from(bytes, { objectMode: false });
  if (output === '-') return pipeline(source, process.stdout, { end: false, signal });
  await writeWhole(output, [source], { signal });
}

function describe({ output, bytes, exported, failed, failures }: Done): string {
  const records = `${exported} ${exported === 1 ? 'record' : 'records'}`;
  const lines = failures.map(({ ref, code, message }) => `  ${ref}  ${code}: ${message}`);
  const more = failed > failures.length ? [`  … and ${failed - failures.length} more`] : [];
  const faults = failed === 0 ? [] : [`${failed} could not be exported:`, ...lines, ...more];
  return [`Exported ${records} into ${output} (${bytes} bytes).`, ...faults].join('\n');
}
