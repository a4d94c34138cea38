import type { Json } from './json-object.ts';
import { headerReferences } from './headers.ts';
import { examplesOf } from './examples.ts';
import { reference } from './inputs.ts';

/** Paths of the service itself: they are no endpoints of the table, and the first two take no key. */

const status: Json = {
  type: 'object',
  description: 'Whether the service works.',
  required: ['status'],
  properties: { status: { type: 'string', description: '`ok`, `ready`, `not ready` or `draining`.' } },
  additionalProperties: { type: 'string', description: 'The state of a service behind it.' },
};

export const serviceSchemas: Readonly<Record<string, Json>> = { ServiceStatus: status };

function reply(path: string, code: number, description: string, headers: readonly string[] = []): Json {
  const examples = examplesOf({ method: 'GET', path }, 'answer', code);
  const content = { 'application/json': { schema: reference('ServiceStatus'), ...examples } };
  return { [code]: { description, headers: headerReferences(headers), content } };
}

function operation(path: string, summary: string, responses: Json): Json {
  const operationId = path.slice(1);
  return { get: { operationId, tags: ['Service'], summary, description: 'Takes no key.', security: [], responses } };
}

const metrics: Json = {
  get: {
    operationId: 'metrics',
    tags: ['Service'],
    summary: 'Numbers for Prometheus',
    description: 'They are about all tenants: for an admin key of the first one.',
    responses: {
      200: { description: 'The numbers.', content: { 'text/plain': { schema: { type: 'string' } } } },
      401: { description: 'No key, or one that is not known.' },
      403: { description: 'The key is not one of who runs the service.' },
    },
  },
};

export const servicePaths: Readonly<Record<string, Json>> = {
  '/health': operation('/health', 'Whether the process answers', reply('/health', 200, 'It does.')),
  '/ready': operation('/ready', 'Whether requests should be sent here', {
    ...reply('/ready', 200, 'They should; a service that can be done without may be `unreachable`.'),
    ...reply('/ready', 503, 'A service behind it does not answer, or the process is about to end.', ['Retry-After']),
  }),
  '/metrics': metrics,
};
