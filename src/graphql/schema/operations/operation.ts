import { queryFromInfo } from '@pothos/plugin-prisma';
import type { Operation as OperationRow } from '../../../../prisma/generated/client/client.ts';
import { formerNameOf } from '../../../analysis/analyzers.ts';
import { AppError } from '../../../lib/errors.ts';
import { abortOperation, analysisFailures, elementFailures, maxElements } from '../../../operations/index.ts';
import type { AnalysisFailure, ElementFailure, OperationWarning, Part } from '../../../operations/index.ts';
import { builder, OperationMethodEnum, OperationResourceEnum } from '../builder.ts';
import { actorOf, tenantOf } from '../context.ts';
import { newestFirst, pagesOf, pageType } from '../pages.ts';

const OperationError = builder.objectRef<ElementFailure>('OperationError').implement({
  description: 'Why one element of an operation failed.',
  fields: (t) => ({
    field: t.exposeString('field', { nullable: true, description: 'The invalid field, if any.' }),
  }),
});

const AnalysisError = builder.objectRef<AnalysisFailure>('OperationAnalysisError').implement({
  description: 'Why a stored element could not be analyzed completely. Its record is stored.',
  fields: (t) => ({
    kind: t.exposeString('analyzer', {
      nullable: true,
      description: 'The kind of result that is missing: faces, ocr, …; null if the picture could not be read.',
    }),
    analyzer: t.string({
      nullable: true,
      description: 'The former name of the kind: `text`, `colours` and `likeness` for ocr, colors and localFeatures.',
      deprecationReason: 'Use kind.',
      resolve: ({ analyzer }) => analyzer && formerNameOf(analyzer),
    }),
  }),
});

for (const failure of [OperationError, AnalysisError] as const) {
  builder.objectFields(failure, (t) => ({
    position: t.exposeInt('position', { description: '0-based position of the element in the request.' }),
    msg: t.string({
      description: '`code: text (id …)` for people.',
      resolve: ({ code, message, ref }) => `${code}: ${message} (id '${ref}')`,
    }),
    message: t.exposeString('message', { description: 'The same without code and id.' }),
    ref: t.exposeString('ref', { description: 'Id of the element.' }),
    code: t.exposeString('code', { description: 'Error code.' }),
  }));
}

const OperationWarningObject = builder.objectRef<OperationWarning>('OperationWarning').implement({
  description: 'A warning about accepted input that is probably a mistake, or about the analysis.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Code: `unknown_field`, or a code of the analysis.' }),
    msg: t.exposeString('message', { description: 'Message.' }),
    field: t.exposeString('field', {
      description: 'The field as sent, at most 64 characters; or the analyzer.',
    }),
    count: t.exposeInt('count', { description: 'Number of elements concerned.' }),
    position: t.exposeInt('position', { description: '0-based position of the first element concerned.' }),
  }),
});

type Stage = Readonly<{
  stage: 'store' | 'analyze';
  numTotal: number;
  numGood: number;
  numBad: number;
  isFinished: boolean;
}>;

const OperationStage = builder.objectRef<Stage>('OperationStage').implement({
  description: 'One of the two stages of an operation.',
  fields: (t) => ({
    stage: t.exposeString('stage', { description: '`store` or `analyze`.' }),
    name: t.string({
      description: 'The former name of the stage: `store` or `analyse`.',
      deprecationReason: 'Use stage.',
      resolve: ({ stage }) => (stage === 'analyze' ? 'analyse' : stage),
    }),
    numTotal: t.exposeInt('numTotal', { description: 'Elements to process.' }),
    numGood: t.exposeInt('numGood', { description: 'Elements that succeeded.' }),
    numBad: t.exposeInt('numBad', { description: 'Elements that failed.' }),
    isFinished: t.exposeBoolean('isFinished', { description: 'Whether the stage is finished.' }),
  }),
});

/** The counters of each stage; the second stage begins when the first elements have been stored. */
function stagesOf(row: OperationRow): Stage[] {
  const isOver = row.state === 'finished';
  const { numTotal, numGood, numBad, numToAnalyze, numAnalyzed, numAnalysisBad } = row;
  // Operations that write no records have a single stage, or count elements as they go.
  const isStored = isOver || (row.state === 'analyzing' && numToAnalyze > 0);
  const counters = { numTotal: numToAnalyze, numGood: numAnalyzed, numBad: numAnalysisBad };
  return [
    { stage: 'store', numTotal, numGood, numBad, isFinished: isStored },
    { stage: 'analyze', ...counters, isFinished: isOver },
  ];
}

/** Milliseconds from creation to start, running on while the operation waits. */
function idleMs({ createdAt, startedAt, finishedAt }: OperationRow): number {
  return Math.max(0, (startedAt ?? finishedAt ?? new Date()).getTime() - createdAt.getTime());
}

/** Milliseconds from start to end, running on while the operation runs. */
function execMs({ startedAt, finishedAt }: OperationRow): number {
  return startedAt === null ? 0 : Math.max(0, (finishedAt ?? new Date()).getTime() - startedAt.getTime());
}

/** Which of the errors of an operation are listed. */
const partOfErrors = builder.args((t) => ({
  limit: t.int({
    defaultValue: 100,
    required: true,
    description: `Maximum number; an operation has up to ${maxElements}.`,
  }),
  offset: t.int({ defaultValue: 0, required: true, description: 'Number to skip.' }),
}));

/** @throws AppError `invalid_argument` for a negative number. */
function checked(part: Part): Part {
  for (const [argument, value] of Object.entries(part)) {
    if (value < 0) throw new AppError('invalid_argument', `${argument} must be 0 or more`, { argument });
  }
  return part;
}

export const Operation = builder.prismaObject('Operation', {
  description: 'A write: accepted, queued, run, reported.',
  fields: (t) => ({
    id: t.expose('id', { type: 'BigInt', description: 'Number of the operation.' }),
    method: t.expose('method', { type: OperationMethodEnum, description: 'Its method.' }),
    kind: t.exposeString('kind', {
      description: 'What it does: `images.create`, `images.undo`, `images.merge`, `images.find_duplicates`, …',
    }),
    resource: t.expose('resource', { type: OperationResourceEnum, description: 'The kind of records.' }),
    numTotal: t.exposeInt('numTotal', { description: 'Total number of elements.' }),
    numGood: t.exposeInt('numGood', { description: 'Elements that succeeded in the first stage.' }),
    numBad: t.exposeInt('numBad', { description: 'Elements that failed.' }),
    numCreated: t.exposeInt('numCreated', { description: 'Number of created records.' }),
    isStarted: t.boolean({ description: 'Whether it has started.', resolve: ({ startedAt }) => startedAt !== null }),
    isFinished: t.boolean({ description: 'Whether it is finished.', resolve: ({ state }) => state === 'finished' }),
    isAborted: t.exposeBoolean('isAborted', { description: 'Whether it was aborted.' }),
    allGood: t.boolean({
      nullable: true,
      description: 'Whether no element has failed so far; null before the first result.',
      resolve: ({ numGood, numBad }) => (numGood + numBad === 0 ? null : numBad === 0),
    }),
    doWait: t.exposeBoolean('doWait', { description: 'Whether the caller asked to wait.' }),
    doUrgent: t.exposeBoolean('doUrgent', { description: 'Whether it runs before other operations of the tenant.' }),
    doStrict: t.exposeBoolean('doStrict', { description: 'Whether all elements are stored or none.' }),
    isDryRun: t.exposeBoolean('isDryRun', {
      description: 'Whether it only reports what it would do; nothing is stored.',
    }),
    idleMs: t.int({
      description: 'Milliseconds from creation to start; still growing while it waits.',
      resolve: idleMs,
    }),
    execMs: t.int({ description: 'Milliseconds from start to end; still growing while it runs.', resolve: execMs }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', nullable: true, description: 'When it started.' }),
    finishedAt: t.expose('finishedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    stages: t.field({
      type: [OperationStage],
      description: 'The stages store and analyze, with their counters. `wait` waits for both.',
      resolve: stagesOf,
    }),
    warnings: t.field({
      type: [OperationWarningObject],
      description:
        'Unknown fields, at most twenty, which were ignored (strict writes refuse them); then the ten most frequent warnings of the analysis.',
      resolve: ({ warnings }) => (warnings ?? []) as OperationWarning[],
    }),
    // Queried only if there are any: most operations have none, and every write that waits would trigger the query.
    analysisErrors: t.field({
      type: [AnalysisError],
      args: partOfErrors,
      description: 'Stored elements whose analysis failed, by position.',
      resolve: ({ id, numAnalysisBad }, part, context) =>
        numAnalysisBad === 0 ? [] : analysisFailures(tenantOf(context), id, checked(part)),
    }),
    errors: t.field({
      type: [OperationError],
      args: partOfErrors,
      description: 'Failed elements, by position; `numBad` is their number.',
      resolve: ({ id, numBad }, part, context) =>
        numBad === 0 ? [] : elementFailures(tenantOf(context), id, checked(part)),
    }),
  }),
});

const pages = pagesOf('Operations');

const OperationPage = pageType(Operation, {
  name: 'OperationPage',
  description: 'A page of operations, newest first.',
  results: 'The operations of this page.',
});

builder.queryField('operation', (t) =>
  t.prismaField({
    type: Operation,
    nullable: true,
    description: 'One operation by its number; null if the tenant has no such operation.',
    args: { id: t.arg({ type: 'BigInt', required: true, description: 'Number of the operation.' }) },
    authScopes: { scope: 'ops:read' },
    resolve: (query, _root, { id }, context) =>
      tenantOf(context).prisma.operation.findFirst({ ...query, where: { id } }),
  }),
);

builder.queryField('operations', (t) =>
  t.field({
    type: OperationPage,
    description: 'Operations of the tenant, newest first.',
    args: {
      ...pages.args,
      method: t.arg({ type: OperationMethodEnum, description: 'Only operations with this method.' }),
      resource: t.arg({ type: OperationResourceEnum, description: 'Only operations on this kind of records.' }),
      isFinished: t.arg.boolean({ description: 'Only finished operations, or only unfinished ones.' }),
      createdAfter: t.arg({ type: 'DateTime', description: 'Only operations created after this time.' }),
    },
    authScopes: { scope: 'ops:read' },
    resolve: async (_root, { method, resource, isFinished, createdAfter, ...page }, context, info) => {
      pages.check(page);
      const { operation } = tenantOf(context).prisma;
      const where = {
        ...(method && { method }),
        ...(resource && { resource }),
        ...(createdAfter && { createdAt: { gt: createdAfter } }),
        ...(typeof isFinished === 'boolean' && {
          state: isFinished ? ('finished' as const) : { not: 'finished' as const },
        }),
      };
      const query = queryFromInfo({ context, info, path: ['results'] });
      const results = await operation.findMany({ ...query, where, ...newestFirst(page) });
      return { results, count: () => operation.count({ where }) };
    },
  }),
);

builder.mutationField('abortOperation', (t) =>
  t.prismaField({
    type: Operation,
    nullable: true,
    description:
      'Aborts an operation. A queued one ends at once; a running one stops after the elements in progress; a finished ' +
      'one does not change. Null if the tenant has no such operation.',
    args: { id: t.arg({ type: 'BigInt', required: true, description: 'Number of the operation.' }) },
    authScopes: { scope: 'ops:abort' },
    resolve: async (query, _root, { id }, context) => {
      const db = tenantOf(context);
      return (await abortOperation(db, id, actorOf(context)))
        ? db.prisma.operation.findFirst({ ...query, where: { id } })
        : null;
    },
  }),
);
