import { z } from 'zod';

/** The parts used here of the JSON that Google Takeout writes next to a picture or video. */
const sidecar = z.object({
  description: z.string().optional(),
  photoTakenTime: z.object({ timestamp: z.string().regex(/^-?\d{1,12}$/) }).optional(),
  geoData: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
  people: z.array(z.object({ name: z.string().optional() })).optional(),
});

/** The JSON that Takeout writes into the folder of an album. */
const album = z.object({ title: z.string().min(1), date: z.object({}).optional(), access: z.string().optional() });

/** Fields of a record by their TypeScript names, if the file contains them. */
type Fields = Readonly<Record<string, string | readonly string[]>>;

/** The maximum length of a sidecar's name without `.json`; Takeout truncates longer ones. */
const longestName = 46;
/** Names of at least this length may have been truncated; the number of a copy takes up some of the characters. */
const cutFrom = 43;
const marker = '.supplemental-metadata';

/** Splits a name into its stem, the number of a copy, and the extension with its dot. */
function partsOf(file: string): Readonly<{ stem: string; copy: string; ending: string }> {
  const [, stem = file, copy = '', ending = ''] = /^(.*?)(\(\d+\))?(\.[^.]*)?$/s.exec(file) ?? [];
  return { stem, copy, ending };
}

/**
 * Finds the sidecar of a picture or video among the names of its folder: `a.jpg.json` or `a.jpg.supplemental-metadata.json`,
 * truncated if too long. The sidecar of `a(1).jpg` is `a.jpg(1).json`, and an edited copy `a-edited.jpg` shares that of
 * `a.jpg`.
 */
export function takeoutSidecarOf(file: string, jsonFiles: readonly string[]): string | null {
  const { stem, copy, ending } = partsOf(file);
  const own = longestMatch(`${stem}${ending}`, copy, jsonFiles);
  const edited = /^(.*)-(?:edited|bearbeitet|modifié|editado|editada|modificato)$/.exec(stem)?.[1];
  return own ?? (edited === undefined ? null : longestMatch(`${edited}${ending}`, copy, jsonFiles));
}

function longestMatch(name: string, copy: string, jsonFiles: readonly string[]): string | null {
  let best: Readonly<{ file: string; length: number }> | null = null;
  for (const file of jsonFiles) {
    const { stem: text, copy: number } = partsOf(file);
    const isWhole = text.length >= name.length;
    const isCut = text.length >= cutFrom && text.length <= longestName;
    if (number !== copy || !`${name}${marker}`.startsWith(text) || !(isWhole || isCut)) continue;
    if (best === null || text.length > best.length) best = { file, length: text.length };
  }
  return best?.file ?? null;
}

/** The fields of a Takeout sidecar; null for other JSON. */
export function readTakeout(content: unknown): Fields | null {
  const { success, data } = sidecar.safeParse(content);
  if (!success || data.photoTakenTime === undefined) return null;
  const { description = '', photoTakenTime, geoData, people = [] } = data;
  const names = [...new Set(people.flatMap(({ name = '' }) => (name.trim() === '' ? [] : [name.trim()])))];
  const date = dayOf(Number(photoTakenTime.timestamp), geoData);
  return {
    ...(description.trim() !== '' && { caption: description.trim() }),
    ...(date !== null && { date }),
    ...(names.length > 0 && { keywords: names }),
  };
}

/** The title of an album, from the `metadata.json` of its folder; null for other JSON. */
export function readAlbum(content: unknown): string | null {
  const { success, data } = album.safeParse(content);
  return success && (data.date !== undefined || data.access !== undefined) ? data.title : null;
}

/**
 * The local day of a timestamp at a place, with the time zone estimated from the longitude; the day in UTC if there
 * is no place, which Takeout writes as zeros.
 */
function dayOf(seconds: number, place: Readonly<{ latitude: number; longitude: number }> | undefined): string | null {
  const isPlaced = place !== undefined && (place.latitude !== 0 || place.longitude !== 0);
  const hours = isPlaced ? Math.round(place.longitude / 15) : 0;
  const date = new Date((seconds + hours * 3600) * 1000);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString().slice(0, 10) : null;
}
