import type { RecordRow } from '../../../catalog/index.ts';
import { builder } from '../builder.ts';
import type { FieldBuilder } from '../builder.ts';

/** An object whose id is unique among all objects of the tenant, of any type. */
export const NodeRef = builder.interfaceRef<RecordRow>('Node').implement({
  description:
    'An object whose id is unique among all types, as the caches of Relay need it. The `id` of an image may also be ' +
    'that of a video.',
  fields: (t) => ({
    nodeId: t.id({ description: 'Opaque id for `node`.', resolve: () => '' }),
  }),
});

/** Returns the field of a type that is a node. */
export function nodeFields(t: FieldBuilder<RecordRow>, type: string) {
  return {
    nodeId: t.id({
      description: 'Opaque id for `node`.',
      resolve: ({ recordId = '' }) => encodeNodeId({ type, id: recordId }),
    }),
  };
}

/** The content of a node id: the name of its type in the schema, and its id there. */
type NodeKey = Readonly<{ type: string; id: string }>;

function encodeNodeId({ type, id }: NodeKey): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}

/** Decodes a node id; null for any other text. */
export function decodeNodeId(text: string): NodeKey | null {
  const decoded = Buffer.from(text, 'base64url').toString();
  const colon = decoded.indexOf(':');
  const key = { type: decoded.slice(0, Math.max(0, colon)), id: decoded.slice(colon + 1) };
  // Base64 ignores unknown characters, so several texts decode to one key: only the text that was issued counts.
  return colon > 0 && encodeNodeId(key) === text ? key : null;
}
