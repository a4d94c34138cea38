import { resourceOfFile } from '../../../src/catalog/media-files.ts';
import { graphql } from '../api/graphql.ts';
import { OneImage, OneVideo } from '../api/documents.ts';
import type { OneImageQuery, OneVideoQuery, ProposedFragment, SeenFragment, WhereFragment } from '../api/documents.ts';
import type { Language } from '../state/preferences.svelte.ts';

export type Where = WhereFragment;
export type Proposal = ProposedFragment;
export type OneVideo = NonNullable<OneVideoQuery['video']>;
export type OneRecord = NonNullable<OneImageQuery['image']> | OneVideo;
/** How far a record has been read. */
export type Reading = 'loading' | 'ready' | 'missing' | 'failed';
export type VideoFile = NonNullable<OneVideo['file']>;

/** Reads everything about a record; null if there is none. */
export async function readRecord(kind: 'image' | 'video', id: string, lang: Language): Promise<OneRecord | null> {
  if (kind === 'video') return (await graphql(OneVideo, { id, lang })).video;
  return (await graphql(OneImage, { id, lang })).image;
}

/** The value of a record's property. */
export function valueOf(record: OneRecord, property: string): unknown {
  return (record as unknown as Readonly<Record<string, unknown>>)[property];
}

/** The file of a video that can be played or downloaded; null for pictures. */
export function fileOf(record: OneRecord): VideoFile | null {
  return 'file' in record ? record.file : null;
}

/** The name of a file when it is downloaded, with one ending. */
export function fileNameOf(record: OneRecord): string {
  const { id } = record;
  return 'container' in record && resourceOfFile(id) !== 'video' ? `${id}.${record.container}` : id;
}

/** What was detected in a picture; null for a video, whose frames contain this. */
export function seenIn(record: OneRecord): SeenFragment | null {
  return record.ai !== null && 'faces' in record.ai ? record.ai : null;
}

export const layers = ['faces', 'objects', 'text'] as const;
export type Layer = (typeof layers)[number];

/** An object that is drawn over the picture. */
export type Detection = Readonly<{ layer: Layer; label: string; box: Where; confidence: number | null }>;

/** Everything that has a position in the picture. */
export function detectionsOf(record: OneRecord): Detection[] {
  const seen = seenIn(record);
  if (seen === null) return [];
  return [
    ...(seen.faces ?? []).map(({ box, confidence }) => ({ layer: 'faces' as const, label: '', box, confidence })),
    ...(seen.objects ?? []).map(({ box, name, confidence }) => ({
      layer: 'objects' as const,
      label: name,
      box,
      confidence,
    })),
    ...(seen.text?.blocks ?? []).map(({ box, text }) => ({
      layer: 'text' as const,
      label: text,
      box,
      confidence: null,
    })),
  ];
}
