/** Changes from one OpenAPI document to another that break clients of the first, as sentences. */
export function openApiChanges(before: object, after: object): readonly string[];
