import type { TenantDb } from '../tenants/index.ts';
import { correctWords, mayNeedCorrection } from './correct-words.ts';
import { listImages } from './list-images.ts';
import type { ImagePage, ListOptions } from './list-images.ts';
import type { Question } from './question.ts';

/**
 * A page of the images that answer a question, its mistyped words corrected. Where every word must be in
 * a record, a page that holds one proves that none is mistyped, and nothing is looked up.
 */
export async function searchImages(db: TenantDb, asked: Question, options: ListOptions): Promise<ImagePage> {
  const need = mayNeedCorrection(asked);
  if (need !== 'if-nothing-is-found') {
    return listImages(db, need === 'never' ? asked : await correctWords(db, asked), options);
  }
  const page = await listImages(db, asked, options);
  if (page.results.length > 0) return page;
  const question = await correctWords(db, asked);
  return question === asked ? page : listImages(db, question, options);
}
