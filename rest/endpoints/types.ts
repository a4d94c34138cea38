/**
 * What a value of the contract is, as data. The readers that check requests, the forms and the
 * documentation are derived from it.
 */
export type ValueType =
  | Readonly<{ kind: 'string' }>
  | Readonly<{ kind: 'boolean' }>
  | Readonly<{ kind: 'datetime' }>
  /** The bytes of one uploaded file; only in forms. */
  | Readonly<{ kind: 'file' }>
  /** An id has up to 53 bits; every other number has less than 32. */
  | Readonly<{ kind: 'integer'; ge?: number; le?: number; isId?: true }>
  /** `name` is that of the list in the documentation. `also` are values beyond the contract's: who knows of them may send them, and no complaint lists them. */
  | Readonly<{ kind: 'enum'; name: string; values: readonly string[]; also?: readonly string[] }>
  /** With `orChange` also what is added and removed; no complaint speaks of it. */
  | ListType
  /** A closed one refuses other fields; they are unknown fields otherwise. */
  | ObjectType;

export type ListType = Readonly<{ kind: 'list'; of: ValueType; min?: number; max?: number; orChange?: true }>;
export type ObjectType = Readonly<{ kind: 'object'; fields: readonly BodyField[]; isClosed?: true }>;

/** One field of an object or of a form, in the order in which its faults are listed. */
export type BodyField = Readonly<{
  name: string;
  type: ValueType;
  description: string;
  /** The name under which its value is handed on, where that is not its own. */
  as?: string;
  required?: true;
  /** Whether JSON's null is a value of its own. */
  nullable?: true;
  /** What a form means that does not send it. */
  default?: unknown;
  /** What the page to try requests fills in; nothing without it. */
  example?: unknown;
}>;

export const string: ValueType = { kind: 'string' };
export const boolean: ValueType = { kind: 'boolean' };
export const datetime: ValueType = { kind: 'datetime' };
export const file: ValueType = { kind: 'file' };
export const integer = (bounds: Readonly<{ ge?: number; le?: number }> = {}): ValueType => ({
  kind: 'integer',
  ...bounds,
});
export const integerId: ValueType = { kind: 'integer', isId: true };
export const oneOf = (name: string, values: readonly string[], also: readonly string[] = []): ValueType => ({
  kind: 'enum',
  name,
  values,
  ...(also.length > 0 && { also }),
});
export const listOf = (of: ValueType, bounds: Readonly<{ min?: number; max?: number }> = {}): ListType => ({
  kind: 'list',
  of,
  ...bounds,
});
export const objectOf = (fields: readonly BodyField[]): ObjectType => ({ kind: 'object', fields });
export const closedObjectOf = (fields: readonly BodyField[]): ObjectType => ({
  kind: 'object',
  fields,
  isClosed: true,
});
