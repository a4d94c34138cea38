import type { Input, StreamEndpoint } from './endpoint.ts';
import { lastEvent, pathId } from './parameters.ts';

/** The id of the last event. A number too large for the schema is later than any event. */
function toNumber(values: Input['values']): number | null {
  const last = values['Last-Event-ID'] ?? values['last_event_id'] ?? null;
  return last === null ? null : Math.min(Number(last), Number.MAX_SAFE_INTEGER);
}

/** Endpoints of saved formulas that watch the catalog. */
export const formulaEndpoints: readonly StreamEndpoint[] = [
  {
    method: 'GET',
    path: '/formulas/{name}/events',
    summary: 'Follow a formula that watches by server-sent events',
    scope: 'imgs:read',
    document: 'follow-formula',
    answers: [
      {
        status: 200,
        description:
          'Records that begin or cease to match: `id` is the number of the event, `event` its kind. ' +
          'The event `error` ends the stream if the key is no longer valid.',
        // Is this the schema of one event or of the whole body? Tools disagree, so the document states neither.
        schema: () => ({}),
        contentType: 'text/event-stream',
      },
    ],
    parameters: [
      pathId('name', 'Name of the saved formula.', 'name', { read: 'covers', written: 'covers' }),
      ...lastEvent(null),
    ],
    variables: ({ values }) => ({ name: values['name'], after: toNumber(values) }),
    stream: ({ event }) => {
      const { number, kind } = event as { number: number; kind: string };
      return { id: number, event: kind, data: event };
    },
  },
];
