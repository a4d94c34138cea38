import type { HttpApi } from '../src/lib/http-api.ts';
import { methodsOf, createRestHandler } from './answer/handler.ts';
import { buildOpenApi, serversOf } from './openapi/index.ts';

export { endpoints } from './endpoints/index.ts';
export { buildOpenApi } from './openapi/index.ts';

/** REST, as the server takes it: nothing else of this folder is known to it. */
export const restApi: HttpApi = {
  name: 'REST',
  firstPath: '/imgs',
  createHandler: createRestHandler,
  allowOf: methodsOf,
  buildOpenApi,
  serversOf,
};
