import type { RecordRow } from '../../../catalog/index.ts';
import { builder } from '../builder.ts';

/** What has an id that no other object of the tenant has, of whatever type. */
export const NodeRef = builder.interfaceRef<RecordRow>('Node').implement({
  description:
    'An object with an id of its own among those of all types, as caches of Relay need it. ' +
    'The `id` of an image may also be that of a video.',
  fields: (t) => ({
    nodeId: t.id({ description: 'What `node` finds it by; opaque.', resolve: () => '' }),
  }),
});

type Fields = Parameters<
  NonNullable<Parameters<ReturnType<typeof builder.objectRef<RecordRow>>['implement']>[0]['fields']>
>[0];

/** The field of a type that is a node. */
export function nodeFields(t: Fields, type: string) {
  return {
    nodeId: t.id({
      description: 'What `node` finds it by; opaque.',
      resolve: ({ recordId = '' }) => encodeNodeId({ type, id: recordId }),
    }),
  };
}

/** What a node id stands for: the name of its type in the schema, and its id there. */
export type NodeKey = Readonly<{ type: string; id: string }>;

function encodeNodeId({ type, id }: NodeKey): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** Null for what is no node id. */
export function decodeNodeId(text: string): NodeKey | null {
  const decoded = Buffer.from(text, 'base64url').toString();
  const colon = decoded.indexOf(':');
  const key = { type: decoded.slice(0, Math.max(0, colon)), id: decoded.slice(colon + 1) };
  // Base64 ignores what it does not know, so several texts decode to one: only the one that was given out counts.
  return colon > 0 && encodeNodeId(key) === text ? key : null;
}
