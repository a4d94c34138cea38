import { graphqlUpload } from '../api/graphql.ts';
import { UploadQueryImage } from '../api/documents.ts';
import { asksFor } from './formula.ts';

/** Pictures that were searched by in this tab, to be shown beside what they found: addresses of blobs by hash. */
const sent = $state<Record<string, string>>({});

/** An address of the picture that a formula searches by; null where it was not given in this tab. */
export function askedPicture(formula: string): string | null {
  const reference = asksFor(formula);
  return reference === null ? null : (sent[reference] ?? null);
}

/** Gives the service a picture to search by. @returns its hash, for formulas */
export async function sendPicture(file: File): Promise<string> {
  const { uploadQueryImage } = await graphqlUpload(UploadQueryImage, 'image', file);
  sent[uploadQueryImage.hash] = URL.createObjectURL(file);
  return uploadQueryImage.hash;
}
