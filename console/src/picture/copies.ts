import type { OneRecord } from './record.ts';

/** Quotes a text as one argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The ways to request a record outside of the console: name and text. */
export function copiesOf({ id }: OneRecord, kind: 'image' | 'video'): readonly (readonly [string, string])[] {
  const path = kind === 'image' ? 'imgs' : 'vids';
  const address = new URL(`../${path}/${encodeURIComponent(id)}`, location.href).href;
  const query = `{ ${kind}(id: ${JSON.stringify(id)}) { title author date width height } }`;
  return [
    ['REST', `curl -s ${quoted(address)} -H "API-Key: $KEY"`],
    ['GraphQL', query],
    ['vitrine', `npx vitrine explain ${quoted(`id:${JSON.stringify(id)}`)}`],
  ];
}
