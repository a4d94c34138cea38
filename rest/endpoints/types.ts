/**
 * The type of a value in the contract, as data. The code that checks requests, the forms and the documentation all
 * derive from it.
 */
export type ValueType =
  | Readonly<{ kind: 'string' }>
  | Readonly<{ kind: 'boolean' }>
  | Readonly<{ kind: 'datetime' }>
  /** The bytes of one uploaded file; only in forms. */
  | Readonly<{ kind: 'file' }>
  /** Ids have up to 53 bits; all other numbers have fewer than 32. */
  | Readonly<{ kind: 'integer'; ge?: number; le?: number; isId?: true }>
  /**
   * `name` is the name of the list in the documentation. `also` lists values beyond the contract's: they are accepted, but
   * error messages do not list them.
   */
  | Readonly<{ kind: 'enum'; name: string; values: readonly string[]; also?: readonly string[] }>
  /** With `orChange`, also an object of additions and removals; error messages do not mention it. */
  | ListType
  /** A closed object rejects other fields; an open one records them as unknown. */
  | ObjectType;

type ListType = Readonly<{ kind: 'list'; of: ValueType; min?: number; max?: number; orChange?: true }>;
export type ObjectType = Readonly<{ kind: 'object'; fields: readonly BodyField[]; isClosed?: true }>;

/** One field of an object or of a form; faults are listed in the order of the fields. */
export type BodyField = Readonly<{
  name: string;
  type: ValueType;
  description: string;
  /** The name under which its value is passed on, if that is not its own. */
  as?: string;
  required?: true;
  /** Whether null is a valid JSON value. */
  nullable?: true;
  /** The value if the form does not send the field. */
  default?: unknown;
  /** What the interactive page fills in; nothing if absent. */
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
