import type { Role, Scope } from '../../src/tenants/index.ts';

/** What a request can be about: things of one tenant, or names of nothing. */
export type Ids = Readonly<{ image: string; operation: number; key: string; formula: string; webhook: string }>;

/** Names of nothing, in no tenant. */
export const nothing: Ids = {
  image: 'picture-of-nobody',
  operation: 900_000_001,
  key: '900000001',
  formula: 'formula-of-nobody',
  webhook: '900000002',
};

/** The lowest role that has a scope; each role has what the ones before it have. */
export const lowestRole: Readonly<Record<Scope, Role>> = {
  'me:read': 'viewer',
  'imgs:read': 'viewer',
  'imgs:query': 'viewer',
  'vids:read': 'viewer',
  'imgs:tag': 'tagger',
  'formulas:write': 'editor',
  'collections:write': 'editor',
  'dups:write': 'editor',
  'vids:write': 'editor',
  'uploads:write': 'editor',
  'exports:write': 'editor',
  'ops:read': 'viewer',
  'imgs:write': 'editor',
  'ops:abort': 'editor',
  'ops:undo': 'editor',
  'records:purge': 'admin',
  'records:import': 'admin',
  'keys:manage': 'admin',
  'webhooks:manage': 'admin',
  'audit:read': 'admin',
  'tenant:read': 'admin',
  'tenant:write': 'admin',
  'service:manage': 'admin',
};

/** How a refusal names the act of a scope. */
export const acts: Readonly<Record<Scope, string>> = {
  'me:read': 'read its own role',
  'imgs:read': 'read images',
  'imgs:write': 'write images',
  'imgs:query': 'search by a query image',
  'imgs:tag': 'tag images',
  'formulas:write': 'save formulas',
  'collections:write': 'write collections',
  'dups:write': 'search for duplicates and judge them',
  'vids:read': 'read videos',
  'vids:write': 'write videos',
  'uploads:write': 'upload files',
  'exports:write': 'export records',
  'ops:read': 'read operations',
  'ops:abort': 'abort operations',
  'ops:undo': 'undo operations',
  'records:purge': 'purge records',
  'records:import': 'supply analyses of records',
  'keys:manage': 'manage API keys',
  'webhooks:manage': 'manage webhooks',
  'audit:read': 'read the audit trail',
  'tenant:read': 'read the state of the tenant',
  'tenant:write': 'change settings of the tenant',
  'service:manage': 'manage the service',
};

export type RestRow = Readonly<{
  scope: Scope;
  path: (ids: Ids) => string;
  body?: (ids: Ids) => unknown;
  /** Sent as multipart/form-data instead of a body. */
  form?: Readonly<Record<string, string | Blob>>;
  /** Answer to a key that may, about things of its own tenant. */
  status: number;
  /** A write: asked about nothing where it may, so that one cell leaves the others alone. */
  writes?: true;
}>;

const writeOf =
  (scope: Scope) =>
  (path: RestRow['path'], body?: RestRow['body']): RestRow => ({
    scope,
    path,
    ...(body && { body }),
    status: 202,
    writes: true,
  });
const write = writeOf('imgs:write');
const one = ({ image }: Ids) => `/imgs/${image}`;
const title = () => ({ title: 'changed', src: 'http://127.0.0.1:9/none.png' });
const titles = ({ image }: Ids) => [{ id: image, ...title() }];
const names = ({ image }: Ids) => [{ id: image }];

const film = ({ image }: Ids) => `/vids/${image}`;
const filmWrite = writeOf('vids:write');

const asCsv = ({ image }: Ids) => ({ ids: [image], format: 'csv' });

const hook = ({ webhook }: Ids) => `/webhooks/${webhook}`;
const hookWrite = (path: RestRow['path'], body?: RestRow['body']): RestRow => ({
  ...writeOf('webhooks:manage')(path, body),
  status: 404,
});
const hookField = (field: (ids: Ids) => string, writes = true): FieldRow => ({
  scope: 'webhooks:manage',
  field,
  ...(writes && { writes }),
});

/** A valid request for every endpoint; one that is missing here fails the test. */
export const restRows: Readonly<Record<string, RestRow>> = {
  'GET /me': { scope: 'me:read', path: () => '/me', status: 200 },
  'GET /ops/': { scope: 'ops:read', path: () => '/ops', status: 200 },
  'GET /ops/{op_id}/events': {
    scope: 'ops:read',
    path: ({ operation }) => `/ops/${operation}/events`,
    status: 200,
  },
  'GET /formulas/{name}/events': {
    scope: 'imgs:read',
    path: () => '/formulas/nothing-of-the-kind/events',
    status: 404,
  },
  'GET /ops/{op_id}': { scope: 'ops:read', path: ({ operation }) => `/ops/${operation}`, status: 200 },
  'DELETE /ops/{op_id}': { scope: 'ops:abort', path: ({ operation }) => `/ops/${operation}`, status: 200 },
  'GET /ops/{op_id}/changes': { scope: 'ops:read', path: () => `/ops/${nothing.operation}/changes`, status: 404 },
  'POST /ops/{op_id}/undo': { scope: 'ops:undo', path: () => `/ops/${nothing.operation}/undo`, status: 404 },
  'GET /imgs/{image_id}/history': { scope: 'imgs:read', path: (ids) => `${one(ids)}/history`, status: 200 },
  'POST /imgs/{image_id}/restore': write((ids) => `${one(ids)}/restore?at=${new Date().toISOString()}`),
  'POST /imgs/{image_id}/purge': writeOf('records:purge')((ids) => `${one(ids)}/purge`),
  'POST /vids/{video_id}/purge': writeOf('records:purge')((ids) => `${film(ids)}/purge`),
  'GET /vids/{video_id}/history': { scope: 'vids:read', path: (ids) => `${film(ids)}/history`, status: 200 },
  'POST /vids/{video_id}/restore': filmWrite((ids) => `${film(ids)}/restore?at=${new Date().toISOString()}`),
  'GET /imgs/{image_id}': { scope: 'imgs:read', path: one, status: 200 },
  'POST /imgs/{image_id}': write(one, title),
  'PUT /imgs/{image_id}': write(one, title),
  'PATCH /imgs/{image_id}': write(one, () => ({ title: 'changed' })),
  'DELETE /imgs/{image_id}': write(one),
  'GET /imgs': { scope: 'imgs:read', path: () => '/imgs', status: 200 },
  'GET /imgs/explain': { scope: 'imgs:read', path: ({ formula }) => `/imgs/explain?q=saved:${formula}`, status: 200 },
  'POST /imgs': write(() => '/imgs', titles),
  'PUT /imgs': write(() => '/imgs', titles),
  'PATCH /imgs': write(
    () => '/imgs',
    ({ image }) => [{ id: image, title: 'changed' }],
  ),
  'DELETE /imgs': write(() => '/imgs', names),
  'POST /imgs/delete': write(() => '/imgs/delete', names),
  'GET /vids': { scope: 'vids:read', path: () => '/vids', status: 200 },
  'GET /vids/{video_id}': { scope: 'vids:read', path: film, status: 200 },
  'GET /vids/{video_id}/poster': { scope: 'vids:read', path: (ids) => `${film(ids)}/poster`, status: 200 },
  'POST /vids/{video_id}': filmWrite(film, title),
  'PUT /vids/{video_id}': filmWrite(film, title),
  'PATCH /vids/{video_id}': filmWrite(film, () => ({ title: 'changed' })),
  'DELETE /vids/{video_id}': filmWrite(film),
  'POST /vids': filmWrite(() => '/vids', titles),
  'PUT /vids': filmWrite(() => '/vids', titles),
  'PATCH /vids': filmWrite(() => '/vids', titles),
  'DELETE /vids': filmWrite(() => '/vids', names),
  'POST /vids/delete': filmWrite(() => '/vids/delete', names),
  'GET /duplicates': { scope: 'imgs:read', path: ({ image }) => `/duplicates?image_id=${image}`, status: 200 },
  'GET /webhooks': { scope: 'webhooks:manage', path: () => '/webhooks', status: 200 },
  'POST /webhooks': {
    scope: 'webhooks:manage',
    path: () => '/webhooks?dry_run=true',
    body: () => ({ url: 'https://example.com/made-in-a-cell' }),
    status: 201,
  },
  'GET /webhooks/{webhook_id}': { scope: 'webhooks:manage', path: hook, status: 200 },
  'PATCH /webhooks/{webhook_id}': hookWrite(hook, () => ({ is_enabled: true })),
  'DELETE /webhooks/{webhook_id}': hookWrite(hook),
  'POST /webhooks/{webhook_id}/secret': hookWrite((ids) => `${hook(ids)}/secret`),
  'POST /webhooks/{webhook_id}/test': hookWrite((ids) => `${hook(ids)}/test`),
  'GET /webhooks/{webhook_id}/messages': {
    scope: 'webhooks:manage',
    path: (ids) => `${hook(ids)}/messages`,
    status: 200,
  },
  'POST /webhooks/{webhook_id}/replay': hookWrite(
    (ids) => `${hook(ids)}/replay`,
    () => ({}),
  ),
  'POST /duplicates': { ...writeOf('dups:write')(() => '/duplicates') },
  'POST /duplicates/merge': write(
    () => '/duplicates/merge',
    ({ image }) => ({ into: 'picture-of-nothing', ids: [image] }),
  ),
  'GET /verdicts': { scope: 'imgs:read', path: ({ image }) => `/verdicts?image_id=${image}`, status: 200 },
  'PUT /verdicts/{first_id}/{second_id}': {
    scope: 'dups:write',
    path: ({ image }) => `/verdicts/${image}/picture-of-nothing`,
    body: () => ({ verdict: 'same' }),
    status: 404,
  },
  'DELETE /verdicts/{first_id}/{second_id}': {
    scope: 'dups:write',
    path: ({ image }) => `/verdicts/${image}/picture-of-nothing`,
    status: 404,
  },
  'POST /tag/image': {
    scope: 'imgs:tag',
    path: () => '/tag/image',
    form: { image_url: 'http://127.0.0.1:9/none.png' },
    status: 422,
  },
  'POST /query_imgs': {
    scope: 'imgs:query',
    path: () => '/query_imgs',
    form: { image: new Blob(['picture']) },
    status: 415,
  },
  'POST /exports/imgs': { ...writeOf('exports:write')(() => '/exports/imgs', asCsv) },
  'POST /exports/vids': { ...writeOf('exports:write')(() => '/exports/vids', asCsv) },
  'GET /exports/{op_id}': { scope: 'exports:write', path: () => `/exports/${nothing.operation}`, status: 404 },
  'POST /uploads': {
    scope: 'uploads:write',
    path: () => '/uploads',
    form: { file: new Blob(['picture']) },
    status: 201,
  },
};

export type FieldRow = Readonly<{
  scope: Scope;
  /** What stands between the braces of the document. */
  field: (ids: Ids) => string;
  /** A file that comes with the document, as `$file`. */
  upload?: Blob;
  writes?: true;
  /** What those who may get; no errors if absent. */
  errors?: readonly object[];
}>;

const fieldWrite = (scope: Scope, name: string, input: (ids: Ids) => string): FieldRow => ({
  scope,
  field: (ids) => `${name}(${input(ids)}, wait: WAIT) { ... on Operation { numGood errors { code msg } } }`,
  writes: true,
});
const elements = ({ image }: Ids) => `[{ id: "${image}", title: "changed", src: "http://127.0.0.1:9/none.png" }]`;
const images = (ids: Ids) => `images: ${elements(ids)}`;
const videos = (ids: Ids) => `videos: ${elements(ids)}`;

/** About the collection that has the name of our formula. */
const collectionWrite = (name: string): FieldRow => ({
  scope: 'collections:write',
  field: ({ formula, image }) => `${name}(name: "${formula}", ids: ["${image}"]) { changed missing }`,
  writes: true,
  errors: [{ extensions: { code: 'not_found' } }],
});

const nodeIdOf = (image: string) => Buffer.from(`Image:${image}`).toString('base64url');

/** A valid selection of every field at the root of the schema; one that is missing here fails the test. */
export const fieldRows: Readonly<Record<string, FieldRow>> = {
  'Query.me': { scope: 'me:read', field: () => 'me { tenant roleName scopes }' },
  'Query.catalogFields': { scope: 'imgs:read', field: () => 'catalogFields { name label }' },
  'Query.image': { scope: 'imgs:read', field: ({ image }) => `image(id: "${image}") { imageId title }` },
  'Query.images': { scope: 'imgs:read', field: () => 'images { count results { imageId } }' },
  'Query.imagesConnection': {
    scope: 'imgs:read',
    field: () => 'imagesConnection(last: 10) { totalCount edges { cursor node { imageId } } }',
  },
  'Query.videosConnection': {
    scope: 'vids:read',
    field: () => 'videosConnection(first: 10) { totalCount nodes { videoId } }',
  },
  'Query.node': {
    scope: 'imgs:read',
    field: ({ image }) => `node(id: "${nodeIdOf(image)}") { ... on Image { title imageId } }`,
  },
  'Query.nodes': {
    scope: 'imgs:read',
    field: ({ image }) => `nodes(ids: ["${nodeIdOf(image)}"]) { nodeId ... on Image { title imageId } }`,
  },
  'Query.video': { scope: 'vids:read', field: ({ image }) => `video(id: "${image}") { videoId title }` },
  'Query.videos': { scope: 'vids:read', field: () => 'videos { count results { videoId } }' },
  'Query.videoPoster': { scope: 'vids:read', field: ({ image }) => `videoPoster(id: "${image}") { contentType }` },
  'Query.explainFormula': {
    scope: 'imgs:read',
    field: ({ image }) => `explainFormula(q: "id:${image} OR title:ours") { text count sentence clauses { count } }`,
  },
  'Query.formulaCompletions': {
    scope: 'imgs:read',
    field: () => 'formulaCompletions(text: "title:") { results { text } }',
  },
  'Query.videoFacetValues': { scope: 'vids:read', field: () => 'videoFacetValues(field: author) { value count }' },
  'Query.facetValues': { scope: 'imgs:read', field: () => 'facetValues(field: author) { value count }' },
  'Query.savedFormulas': { scope: 'imgs:read', field: () => 'savedFormulas { count results { name formula } }' },
  'Mutation.saveFormula': {
    scope: 'formulas:write',
    field: ({ formula }) => `saveFormula(name: "copy", formula: "saved:${formula}", replace: true) { name }`,
  },
  'Mutation.watchFormula': {
    scope: 'formulas:write',
    field: ({ formula }) => `watchFormula(name: "${formula}", dryRun: true) { watching }`,
    writes: true,
    errors: [{ extensions: { code: 'not_found' } }],
  },
  'Subscription.matches': {
    scope: 'imgs:read',
    field: () => 'matches(name: "nothing-of-the-kind") { id kind }',
    errors: [{ extensions: { code: 'not_found' } }],
  },
  'Mutation.renameSavedFormula': {
    scope: 'formulas:write',
    field: ({ formula }) => `renameSavedFormula(name: "${formula}", to: "another", dryRun: true) { formula }`,
    writes: true,
    errors: [{ extensions: { code: 'not_found' } }],
  },
  'Mutation.deleteSavedFormula': {
    scope: 'formulas:write',
    field: ({ formula }) => `deleteSavedFormula(name: "${formula}") { name formula }`,
    writes: true,
  },
  'Query.collections': { scope: 'imgs:read', field: () => 'collections { count results { name images } }' },
  'Query.collection': { scope: 'imgs:read', field: ({ formula }) => `collection(name: "${formula}") { name images }` },
  'Mutation.createCollection': {
    scope: 'collections:write',
    field: () => 'createCollection(name: "made in a cell", dryRun: true) { name }',
  },
  'Mutation.renameCollection': {
    scope: 'collections:write',
    field: ({ formula }) => `renameCollection(name: "${formula}", to: "another", dryRun: true) { images }`,
    writes: true,
    errors: [{ extensions: { code: 'not_found' } }],
  },
  'Mutation.deleteCollection': {
    scope: 'collections:write',
    field: ({ formula }) => `deleteCollection(name: "${formula}") { images }`,
    writes: true,
  },
  'Mutation.addToCollection': collectionWrite('addToCollection'),
  'Mutation.moveInCollection': collectionWrite('moveInCollection'),
  'Mutation.removeFromCollection': collectionWrite('removeFromCollection'),
  'Query.duplicates': {
    scope: 'imgs:read',
    field: ({ image }) => `duplicates(imageId: "${image}") { count results { members { imageId } } }`,
  },
  'Mutation.findDuplicates': {
    scope: 'dups:write',
    field: () => 'findDuplicates(q: "id:picture-of-nobody", wait: WAIT) { ... on Operation { numTotal } }',
    writes: true,
  },
  'Mutation.exportImages': fieldWrite(
    'exports:write',
    'exportImages',
    ({ image }) => `of: { ids: ["${image}"] }, format: csv`,
  ),
  'Mutation.exportVideos': fieldWrite(
    'exports:write',
    'exportVideos',
    ({ image }) => `of: { ids: ["${image}"] }, format: csv`,
  ),
  'Query.analyzedImages': {
    scope: 'exports:write',
    field: () => 'analyzedImages(limit: 1) { results cursor }',
  },
  'Query.analyzedVideos': {
    scope: 'exports:write',
    field: () => 'analyzedVideos(limit: 1) { results cursor }',
  },
  'Mutation.importImages': fieldWrite(
    'records:import',
    'importImages',
    ({ image }) => `records: ["{\\"id\\": \\"${image}\\"}"]`,
  ),
  'Mutation.importVideos': fieldWrite(
    'records:import',
    'importVideos',
    ({ image }) => `records: ["{\\"id\\": \\"${image}\\"}"]`,
  ),
  'Query.exportFile': {
    scope: 'exports:write',
    field: () => `exportFile(operationId: ${nothing.operation}) { name url }`,
  },
  'Mutation.mergeImages': fieldWrite(
    'imgs:write',
    'mergeImages',
    ({ image }) => `into: "picture-of-nothing", ids: ["${image}"]`,
  ),
  'Query.pairVerdicts': {
    scope: 'imgs:read',
    field: ({ image }) => `pairVerdicts(imageId: "${image}") { count results { verdict } }`,
  },
  'Mutation.judgePair': {
    scope: 'dups:write',
    field: ({ image }) => `judgePair(first: "${image}", second: "picture-of-nothing", verdict: same) { verdict }`,
  },
  'Mutation.withdrawVerdict': {
    scope: 'dups:write',
    field: ({ image }) => `withdrawVerdict(first: "${image}", second: "picture-of-nothing") { verdict }`,
  },
  'Query.operation': { scope: 'ops:read', field: ({ operation }) => `operation(id: ${operation}) { id method }` },
  'Query.operations': { scope: 'ops:read', field: () => 'operations { results { errors { ref } } }' },
  'Query.webhooks': hookField(() => 'webhooks { count results { url } }', false),
  'Query.webhook': hookField(({ webhook }) => `webhook(id: "${webhook}") { url kinds }`, false),
  'Query.webhookMessages': hookField(({ webhook }) => `webhookMessages(id: "${webhook}") { count }`, false),
  'Query.notificationKinds': hookField(() => 'notificationKinds { name }', false),
  'Mutation.addWebhook': hookField(
    () => 'addWebhook(url: "https://example.com/made-in-a-cell", dryRun: true) { webhook { url } }',
    false,
  ),
  'Mutation.updateWebhook': hookField(({ webhook }) => `updateWebhook(id: "${webhook}", isEnabled: true) { url }`),
  'Mutation.removeWebhook': hookField(({ webhook }) => `removeWebhook(id: "${webhook}") { url }`),
  'Mutation.rotateWebhookSecret': hookField(
    ({ webhook }) => `rotateWebhookSecret(id: "${webhook}") { webhook { url } }`,
  ),
  'Mutation.testWebhook': hookField(({ webhook }) => `testWebhook(id: "${webhook}") { id }`),
  'Mutation.replayWebhook': hookField(({ webhook }) => `replayWebhook(id: "${webhook}") { count }`),
  'Query.apiKeys': { scope: 'keys:manage', field: () => 'apiKeys { results { prefix name } }' },
  'Query.auditTrail': { scope: 'audit:read', field: () => 'auditTrail { results { action keyPrefix subject } }' },
  'Query.tenantState': {
    scope: 'tenant:read',
    field: () => 'tenantState { activity { openOperations } limits { name limit } }',
  },
  'Query.captionRules': { scope: 'tenant:read', field: () => 'captionRules { style langs words forbidden }' },
  'Mutation.setCaptionRules': {
    scope: 'tenant:write',
    field: () => 'setCaptionRules(words: 30, dryRun: true) { words }',
  },
  'Query.serviceState': {
    scope: 'service:manage',
    field: () => 'serviceState { version activity { openOperations } }',
  },
  'Mutation.rebuildSearchIndexes': {
    scope: 'service:manage',
    field: () => 'rebuildSearchIndexes { pending }',
    writes: true,
  },
  'Subscription.operationProgress': {
    scope: 'ops:read',
    field: ({ operation }) => `operationProgress(id: ${operation}) { sequence type }`,
  },
  'Mutation.createImages': fieldWrite('imgs:write', 'createImages', images),
  'Mutation.replaceImages': fieldWrite('imgs:write', 'replaceImages', images),
  'Mutation.updateImages': fieldWrite(
    'imgs:write',
    'updateImages',
    ({ image }) => `images: [{ id: "${image}", title: "changed" }]`,
  ),
  'Mutation.deleteImages': fieldWrite('imgs:write', 'deleteImages', ({ image }) => `ids: ["${image}"]`),
  'Mutation.createVideos': fieldWrite('vids:write', 'createVideos', videos),
  'Mutation.replaceVideos': fieldWrite('vids:write', 'replaceVideos', videos),
  'Mutation.updateVideos': fieldWrite(
    'vids:write',
    'updateVideos',
    ({ image }) => `videos: [{ id: "${image}", title: "changed" }]`,
  ),
  'Mutation.deleteVideos': fieldWrite('vids:write', 'deleteVideos', ({ image }) => `ids: ["${image}"]`),
  'Query.imageHistory': {
    scope: 'imgs:read',
    field: ({ image }) => `imageHistory(id: "${image}") { count results { action } }`,
  },
  'Query.videoHistory': {
    scope: 'vids:read',
    field: ({ image }) => `videoHistory(id: "${image}") { count results { action } }`,
  },
  'Mutation.restoreImage': fieldWrite(
    'imgs:write',
    'restoreImage',
    ({ image }) => `id: "${image}", at: "${new Date().toISOString()}"`,
  ),
  'Mutation.restoreVideo': fieldWrite(
    'vids:write',
    'restoreVideo',
    ({ image }) => `id: "${image}", at: "${new Date().toISOString()}"`,
  ),
  'Mutation.purgeImages': fieldWrite('records:purge', 'purgeImages', ({ image }) => `ids: ["${image}"]`),
  'Mutation.purgeVideos': fieldWrite('records:purge', 'purgeVideos', ({ image }) => `ids: ["${image}"]`),
  'Mutation.undoOperation': {
    scope: 'ops:undo',
    field: () => `undoOperation(id: ${nothing.operation}) { ... on Operation { numGood } }`,
    writes: true,
  },
  'Mutation.analyzeImages': fieldWrite('imgs:write', 'analyzeImages', ({ image }) => `ids: ["${image}"]`),
  'Mutation.analyzeVideos': fieldWrite('vids:write', 'analyzeVideos', ({ image }) => `ids: ["${image}"]`),
  'Mutation.tagImage': {
    scope: 'imgs:tag',
    field: () => 'tagImage(imageUrl: "http://127.0.0.1:9/none.png") { warnings }',
    errors: [{ extensions: { code: 'invalid_image' } }],
  },
  'Mutation.uploadQueryImage': {
    scope: 'imgs:query',
    field: () => 'uploadQueryImage(image: $file) { hash }',
    upload: new Blob(['picture']),
    errors: [{ extensions: { code: 'unsupported_media' } }],
  },
  'Mutation.uploadSource': {
    scope: 'uploads:write',
    field: () => 'uploadSource(file: $file) { srcPath }',
    upload: new Blob(['picture']),
  },
  'Mutation.abortOperation': {
    scope: 'ops:abort',
    field: ({ operation }) => `abortOperation(id: ${operation}) { id isAborted }`,
  },
  'Mutation.createApiKey': {
    scope: 'keys:manage',
    field: () => 'createApiKey(name: "made in a cell", scopes: ["keys:manage"]) { key { role scopes } }',
  },
  'Mutation.revokeApiKey': {
    scope: 'keys:manage',
    field: ({ key }) => `revokeApiKey(id: "${key}") { id name }`,
    writes: true,
  },
  'Mutation.rotateApiKey': {
    scope: 'keys:manage',
    field: ({ key }) => `rotateApiKey(id: "${key}") { key { name } }`,
    writes: true,
  },
};
