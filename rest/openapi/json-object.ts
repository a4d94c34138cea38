/** A JSON schema, or any other object of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;
