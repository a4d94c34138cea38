import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** Says what is wrong with a reply; nothing when the document describes it. */
export type ReplyChecker = (method: string, path: string, status: number, body: unknown) => string[];

/** Objects may hold what is described and nothing else, so that an undescribed field is noticed. */
function closed(node: any): any {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, closed(value)]));
  const isObject = copy['type'] === 'object' && copy['properties'] !== undefined;
  return isObject && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}

/** Checks replies against an OpenAPI document: the status is documented and the body has its schema. */
export function openReplyChecker(document: any): ReplyChecker {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true });
  addFormats.default(ajv, ['date-time']);
  ajv.addFormat('int64', true);
  ajv.addFormat('binary', true);
  const schemas = closed(document.components.schemas);
  ajv.addSchema({ $id: 'openapi', components: { schemas } });
  const compiled = new Map<string, ValidateFunction>();

  return (method, path, status, body) => {
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) return [`${method} ${path} is not documented`];
    const listed = operation.responses[status];
    if (listed === undefined) return [`${method} ${path} does not document ${status}`];
    const response = listed.$ref === undefined ? listed : document.components.responses[listed.$ref.split('/').at(-1)];
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) return body === '' ? [] : ['no body is documented'];
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"openapi#/components');
    let validate = compiled.get(text);
    if (validate === undefined) compiled.set(text, (validate = ajv.compile(JSON.parse(text))));
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}
