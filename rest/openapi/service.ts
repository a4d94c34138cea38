import type { Json } from './json-object.ts';
import { headerReferences } from './headers.ts';
import { examplesOf } from './examples.ts';
import { reference } from './inputs.ts';

/** Paths of the service itself: they are not endpoints of the table, and the first two need no key. */

const status: Json = {
  type: 'object',
  description: 'Whether the service works.',
  required: ['status'],
  properties: { status: { type: 'string', description: '`ok`, `ready`, `not ready` or `draining`.' } },
  additionalProperties: { type: 'string', description: 'The state of a backing service.' },
};

export const serviceSchemas: Readonly<Record<string, Json>> = { ServiceStatus: status };

function reply(path: string, code: number, description: string, headers: readonly string[] = []): Json {
  const examples = examplesOf({ method: 'GET', path }, 'answer', code);
  const content = { 'application/json': { schema: reference('ServiceStatus'), ...examples } };
  return { [code]: { description, headers: headerReferences(headers), content } };
}

function operation(path: string, summary: string, responses: Json): Json {
  const operationId = path.slice(1);
  return { get: { operationId, tags: ['Service'], summary, description: 'Needs no key.', security: [], responses } };
}

const metrics: Json = {
  get: {
    operationId: 'metrics',
    tags: ['Service'],
    summary: 'Metrics for Prometheus',
    description: 'The metrics cover all tenants: an admin key of the first tenant is required.',
    responses: {
      200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
      401: { $ref: '#/components/responses/Unauthorized' },
      403: { $ref: '#/components/responses/Forbidden' },
    },
  },
};

export const servicePaths: Readonly<Record<string, Json>> = {
  '/health': operation('/health', 'Whether the process is alive', reply('/health', 200, 'It is alive.')),
  '/ready': operation('/ready', 'Whether the service is ready for requests', {
    ...reply(
      '/ready',
      200,
      'Ready; an optional backing service may be `unreachable`, and PostgreSQL may refuse writes (`read-only`, `disk full`, `no connections`).',
    ),
    ...reply('/ready', 503, 'A backing service is unavailable, or the process is stopping.', ['Retry-After']),
  }),
  '/metrics': metrics,
};
