// With the client of openapi-generator's typescript-fetch.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Configuration,
  ErrorResponseFromJSON,
  HTTPValidationErrorFromJSON,
  ImageFacet,
  ImageField,
  ImagesApi,
  instanceOfOperationOut,
  instanceOfPendingOperation,
  LangWrite,
  OperationsApi,
  ResponseError,
  TaggingApi,
} from './vitrine/index.js';

const {
  VITRINE_URL: basePath = '',
  VITRINE_KEY: apiKey = '',
  IMAGE_ID: imageId = '',
  IMAGE_PATH,
  PICTURE = '',
} = process.env;
const configuration = new Configuration({ basePath, apiKey });
const images = new ImagesApi(configuration);

/** The JSON of the error that a call ends with. */
async function errorOf(status: number, call: Promise<unknown>): Promise<unknown> {
  try {
    throw new Error(`expected ${status}, got ${JSON.stringify(await call)}`);
  } catch (error) {
    if (error instanceof ResponseError && error.response.status === status) return error.response.json();
    throw error;
  }
}

const created = await images.imgCreateImgsImageIdPost({
  imageId,
  imageCreate: { srcPath: IMAGE_PATH, title: imageId, country: 'Iceland', keywords: ['one', 'two'] },
  wait: true,
  prefer: 'wait=120',
  lang: LangWrite.LANG_WRITE_EN,
});
if (!instanceOfOperationOut(created)) throw new Error('the picture was not waited for');
const fields = [ImageField.IMAGE_FIELD_TITLE, ImageField.IMAGE_FIELD_KEYWORDS];
const read = await images.imgGetImgsImageIdGet({ imageId, fields });
const page = await images.imgsSearchImgsGet({
  q: `title="${imageId}"`,
  fields,
  facets: [ImageFacet.IMAGE_FACET_COUNTRY],
  count: true,
});
const missing = ErrorResponseFromJSON(await errorOf(404, images.imgGetImgsImageIdGet({ imageId: 'nowhere' })));
const fault = HTTPValidationErrorFromJSON(await errorOf(422, images.imgsSearchImgsGet({ q: 'contry:es' })));

const accepted = await images.imgUpdateImgsImageIdPatch({ imageId, imageUpdate: { city: 'Vik' } });
if (!instanceOfPendingOperation(accepted)) throw new Error('the change was not accepted for later');
const operations = new OperationsApi(configuration);
const opId = accepted.operationId;
let operation = await operations.opsGetOpsOpIdGet({ opId });
for (let tries = 0; !operation.isFinished && tries < 600; tries += 1) {
  await sleep(100);
  operation = await operations.opsGetOpsOpIdGet({ opId });
}
const picture = new Blob([readFileSync(PICTURE)], { type: 'image/jpeg' });
const tags = await new TaggingApi(configuration).tagImageTagImagePost({ image: picture, colors: true });
const removed = await images.imgDeleteImgsImageIdDelete({ imageId, wait: true, prefer: 'wait=120' });
if (!instanceOfOperationOut(removed)) throw new Error('the deletion was not waited for');

const facet = page.facets['country']?.[0];
console.log(
  JSON.stringify({
    created: created.numGood,
    title: read.title,
    keywords: read.keywords,
    listed: page.results[0]?.title,
    count: page.count,
    facet: [facet?.value, facet?.count],
    missing: missing.detail,
    fault: fault.detail[0]?.type,
    changed: operation.numGood,
    finished: operation.isFinished,
    color: tags.colors?.[0]?.hex,
    deleted: removed.numGood,
  }),
);
