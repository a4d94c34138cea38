import type { HttpApi } from '../lib/http-api.ts';

/** The APIs next to GraphQL. To remove one, delete its folder and its line here. */
export const httpApis: readonly HttpApi[] = [
  (await import('../../rest/index.ts')).restApi, // REST
];
