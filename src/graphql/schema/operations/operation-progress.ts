import { AppError } from '../../../lib/errors.ts';
import { eventTypes, watchOperation } from '../../../operations/index.ts';
import type { OperationEvent } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';

const OperationEventType = builder.enumType('OperationEventType', {
  description: 'The type of an event: queued, started and progress; the last event is finished or aborted.',
  values: eventTypes,
});

const OperationEventObject = builder.objectRef<OperationEvent>('OperationEvent').implement({
  description: 'An event of an operation. Its counters are totals so far.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number of the operation.' }),
    sequence: t.exposeInt('sequence', {
      description: 'Position of the event; pass it as `after` to continue after it.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    type: t.expose('type', { type: OperationEventType, description: 'Type of the event.' }),
    numTotal: t.exposeInt('numTotal', { description: 'Total number of elements.' }),
    numGood: t.exposeInt('numGood', { description: 'Elements that succeeded in the first stage.' }),
    numBad: t.exposeInt('numBad', { description: 'Elements that failed.' }),
    numToAnalyze: t.exposeInt('numToAnalyze', { description: 'Stored elements to be analyzed, so far.' }),
    numAnalyzed: t.exposeInt('numAnalyzed', { description: 'Elements that were analyzed.' }),
    numAnalysisBad: t.exposeInt('numAnalysisBad', { description: 'Stored elements whose analysis failed in part.' }),
  }),
});

builder.subscriptionField('operationProgress', (t) =>
  t.field({
    type: OperationEventObject,
    description:
      'Follows an operation from its first event to its last, with at most ten events per second: of faster progress, ' +
      'only the newest event is sent. Fails with `not_found` if the tenant has no such operation.',
    args: {
      id: t.arg({ type: 'BigInt', required: true, description: 'Number of the operation.' }),
      after: t.arg.int({ defaultValue: 0, required: true, description: 'Only events after this sequence number.' }),
    },
    authScopes: { scope: 'ops:read' },
    subscribe: async (_root, { id, after }, context) => {
      const { services, request } = context;
      const watch = await watchOperation(tenantOf(context), services.notifications, id, {
        after,
        signal: request.signal,
      });
      if (watch === null) throw new AppError('not_found', 'Operation not found');
      return watch;
    },
    resolve: (event) => event,
  }),
);
