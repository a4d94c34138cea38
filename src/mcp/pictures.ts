import type { ToolCaller } from './caller.ts';

/** A part of a reply. */
export type ToolContent =
  Readonly<{ type: 'text'; text: string }> | Readonly<{ type: 'image'; data: string; mimeType: string }>;

/** A record of a page, possibly with the address of its preview. */
export type WithPreview = Readonly<Record<string, unknown>> & Readonly<{ preview?: Readonly<{ url: string }> | null }>;

/** Values as JSON, without nulls: they mean nothing to a model and use up its context. */
export function toText(value: unknown): ToolContent {
  const text = JSON.stringify(value, (_, each: unknown) => (each === null ? undefined : each), 1);
  return { type: 'text', text };
}

/** Records without the addresses of their previews, and the first previews as pictures. */
export async function withPictures(
  records: readonly WithPreview[],
  shown: number,
  caller: ToolCaller,
): Promise<Readonly<{ records: readonly object[]; pictures: readonly ToolContent[] }>> {
  const read = records.slice(0, shown).map(async ({ imageId, preview }): Promise<ToolContent[]> => {
    const picture = preview ? await caller.readPreview(preview.url) : null;
    if (picture === null) return [];
    return [
      { type: 'text', text: `Preview of ${String(imageId)}:` },
      { type: 'image', data: picture.bytes.toString('base64'), mimeType: picture.type },
    ];
  });
  return {
    records: records.map((record) => ({ ...record, preview: undefined })),
    pictures: (await Promise.all(read)).flat(),
  };
}
