import { AppError } from '../../../lib/errors.ts';
import { eventTypes, watchOperation } from '../../../operations/index.ts';
import type { OperationEvent } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';

const OperationEventType = builder.enumType('OperationEventType', {
  description: 'What happened: queued, started and progress, then finished or aborted, which is the last event.',
  values: eventTypes,
});

const OperationEventObject = builder.objectRef<OperationEvent>('OperationEvent').implement({
  description: 'An entry of the log of an operation. Its counters are totals up to then.',
  fields: (t) => ({
    operationId: t.expose('operationId', { type: 'BigInt', description: 'Number of the operation.' }),
    sequence: t.exposeInt('sequence', { description: 'Place in the log; give it as `after` to go on behind it.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    type: t.expose('type', { type: OperationEventType, description: 'What happened.' }),
    numTotal: t.exposeInt('numTotal', { description: 'Elements in all.' }),
    numGood: t.exposeInt('numGood', { description: 'Elements that were stored, or whatever else was asked for.' }),
    numBad: t.exposeInt('numBad', { description: 'Elements that failed.' }),
    numToAnalyze: t.exposeInt('numToAnalyze', { description: 'Stored elements that are to be analyzed, so far.' }),
    numAnalyzed: t.exposeInt('numAnalyzed', { description: 'Elements that were analyzed.' }),
    numAnalysisBad: t.exposeInt('numAnalysisBad', { description: 'Stored elements whose analysis failed in part.' }),
  }),
});

builder.subscriptionField('operationProgress', (t) =>
  t.field({
    type: OperationEventObject,
    description:
      'Follows an operation from its first event to its last, ten events a second at most: of progress that comes ' +
      'faster only the newest is sent. Fails with `not_found` when the tenant has no such operation.',
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
