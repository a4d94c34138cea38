import type { HttpApi } from '../src/lib/http-api.ts';
import { methodsOf, createRestHandler } from './answer/handler.ts';
import { buildOpenApi, serversOf } from './openapi/index.ts';

export { endpoints } from './endpoints/index.ts';
export { buildOpenApi } from './openapi/index.ts';

/** The REST API as the server sees it: the server knows nothing else in this folder. */
export const restApi: HttpApi = {
  name: 'REST',
  firstPath: '/imgs',
  createHandler: createRestHandler,
  allowOf: methodsOf,
  buildOpenApi,
  serversOf,
};
