import { resourceOfFile } from '../../../src/catalog/media-files.ts';
import { graphqlUpload } from '../api/graphql.ts';
import { UploadQueryImage } from '../api/documents.ts';
import { asksFor } from './formula.ts';

/** Pictures that this tab has searched by, to show next to their results: blob URLs by hash. */
const sent = $state<Record<string, string>>({});

/** The URL of the picture that a formula searches by; null if it was not sent from this tab. */
export function askedPicture(formula: string): string | null {
  const reference = asksFor(formula);
  return reference === null ? null : (sent[reference] ?? null);
}

/** Whether a file looks like a picture; browsers do not know the types of all of them. */
export function isPicture({ type, name }: File): boolean {
  return type.startsWith('image/') || resourceOfFile(name) === 'image';
}

/** Uploads a picture to search by. @returns its hash, for formulas */
export async function sendPicture(file: File): Promise<string> {
  const { hash } = (await graphqlUpload(UploadQueryImage, 'image', file)).uploadQueryImage;
  if (sent[hash] !== undefined) return hash;
  const url = URL.createObjectURL(file);
  if (await canShow(url)) sent[hash] = url;
  else URL.revokeObjectURL(url);
  return hash;
}

/** Whether the browser can show a picture: most cannot show HEIC and TIFF. */
function canShow(url: string): Promise<boolean> {
  const image = new Image();
  image.src = url;
  return image.decode().then(
    () => true,
    () => false,
  );
}
