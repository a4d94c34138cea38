import { errorCounts } from '../../../operations/index.ts';
import type { ErrorCount } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import { Operation } from './operation.ts';

const OperationErrorCount = builder.objectRef<ErrorCount>('OperationErrorCount').implement({
  description: 'How many elements of an operation failed with a code.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Error code.' }),
    count: t.exposeInt('count', { description: 'Number of elements.' }),
  }),
});

builder.objectField(Operation, 'errorCounts', (t) =>
  t.field({
    type: [OperationErrorCount],
    description: 'Failed elements by error code, most first.',
    resolve: ({ id, numBad }, _args, context) => (numBad === 0 ? [] : errorCounts(tenantOf(context), id)),
  }),
);
