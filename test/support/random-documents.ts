import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { GraphQLArgument, GraphQLCompositeType, GraphQLField, GraphQLInputType, GraphQLSchema } from 'graphql';

/** Decides by the numbers of a tape; at its end everything is the first and simplest choice. */
export type Dice = Readonly<{
  below(count: number): number;
  pick<T>(choices: readonly T[]): T;
  /** True in about `percent` of all cases; never at the end of the tape. */
  chance(percent: number): boolean;
}>;

export function createDice(tape: readonly number[]): Dice {
  let at = 0;
  const next = () => tape[at++] ?? 0;
  const below = (count: number) => next() % count;
  return {
    below,
    pick: (choices) => choices[below(choices.length)] as never,
    chance: (percent) => 99 - below(100) < percent,
  };
}

type Kind = 'query' | 'mutation' | 'subscription';

export type RandomDocument = Readonly<{
  kind: Kind;
  query: string;
  variables: Readonly<Record<string, unknown>>;
}>;

/** Values that exist in the catalog, so that some documents find something. */
export type Known = Readonly<{
  imageIds: readonly string[];
  operationIds: readonly number[];
  paths: readonly string[];
}>;

const texts = [
  '',
  'a',
  'P-1',
  '"',
  '\\',
  '\u0000',
  '\ud800',
  '🐈',
  'ñ\u0301',
  '\u202e',
  "'; DROP TABLE image; --",
  '$1',
  '%',
  '{}',
];
const texts2 = [
  '[]',
  'null',
  '../../etc/passwd',
  '/etc/passwd',
  'http://127.0.0.1/',
  'file:///etc/passwd',
  'x'.repeat(300),
  '\n\r\t',
];
const dates = [
  '2024-02-30',
  '2024-05-06',
  '1999',
  '2024-13',
  '0000-01-01',
  '9999-12-31T23:59:59.999Z',
  '2024-01-01T00:00:00Z',
];
const integers = [1, 2, 0, -1, 50, 10_000, 10_001, 2 ** 31 - 1, -(2 ** 31), 7];
const bigIntegers = [...integers, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 33];
const wrong: readonly unknown[] = [null, 1.5, 1e300, 'x', true, [], {}, [[]], { id: {} }, 2 ** 60, [null], -0];

/** Makes operations that follow the schema, and some that miss it narrowly. */
export function randomDocument(
  schema: GraphQLSchema,
  dice: Dice,
  known: Known,
  kinds: readonly Kind[],
): RandomDocument {
  const definitions: string[] = [];
  const fragments: string[] = [];
  const variables: Record<string, unknown> = {};
  let names = 0;
  const kind = dice.pick(kinds);

  function value(type: GraphQLInputType): unknown {
    if (dice.chance(2)) return dice.pick(wrong);
    if (isNonNullType(type)) return value(type.ofType);
    if (dice.chance(5)) return null;
    if (isListType(type)) return Array.from({ length: 1 + dice.below(3) }, () => value(type.ofType));
    if (isEnumType(type)) return dice.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => isRequiredInputField(field) || dice.chance(15));
      return Object.fromEntries(fields.map((field) => [field.name, value(field.type)]));
    }
    return scalar(type.name);
  }

  function scalar(name: string): unknown {
    if (name === 'Boolean') return dice.chance(50);
    if (name === 'Int') return dice.pick(integers);
    if (name === 'BigInt') return dice.pick(dice.chance(50) ? known.operationIds : bigIntegers);
    if (name === 'DateTime') return dice.pick(dates);
    if (name === 'ID') return dice.chance(50) ? dice.pick(known.imageIds) : dice.pick([...texts, ...texts2]);
    return dice.pick([...texts, ...known.paths, ...dates, ...texts2]);
  }

  /** A value where an argument stands: written there, or in a variable that may have a default. */
  function argument({ name, type, defaultValue }: GraphQLArgument): string {
    if (dice.chance(40)) return `${name}: ${literal(value(type), type)}`;
    const variable = `v${(names += 1)}`;
    const withDefault = dice.chance(15) && (defaultValue !== undefined || !isNonNullType(type));
    definitions.push(
      `$${variable}: ${String(type)}${withDefault ? ` = ${literal(value(getNullableType(type)), type)}` : ''}`,
    );
    const isOptional = withDefault || !isNonNullType(type);
    if (!isOptional || !dice.chance(30)) variables[variable] = value(type);
    return `${name}: $${variable}`;
  }

  function directive(): string {
    if (!dice.chance(8)) return '';
    const name = dice.pick(['include', 'skip']);
    if (dice.chance(50)) return ` @${name}(if: ${dice.chance(50)})`;
    const variable = `v${(names += 1)}`;
    definitions.push(`$${variable}: Boolean!`);
    variables[variable] = dice.chance(50);
    return ` @${name}(if: $${variable})`;
  }

  function fieldOf(field: GraphQLField<unknown, unknown>, depth: number): string {
    const args = field.args.filter((arg) => isRequiredArgument(arg) || dice.chance(35)).map(argument);
    const type = getNamedType(field.type);
    // Without aliases most documents would ask for one field twice with different arguments.
    const alias = dice.chance(args.length > 0 ? 90 : 20) ? `${dice.chance(3) ? 'same' : `a${(names += 1)}`}: ` : '';
    const inner = isCompositeType(type) ? ` ${selection(type, depth + 1)}` : '';
    return `${alias}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive()}${inner}`;
  }

  function selection(type: GraphQLCompositeType, depth: number): string {
    const count = depth === 0 && kind === 'subscription' ? 1 : 1 + dice.below(depth === 0 ? 3 : 5);
    return `{ ${Array.from({ length: count }, () => oneOf(type, depth)).join(' ')} }`;
  }

  function oneOf(type: GraphQLCompositeType, depth: number): string {
    if (dice.chance(6)) return `__typename${directive()}`;
    const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
    if (isAbstractType(type) || dice.chance(8)) {
      const member = dice.pick(members);
      if (dice.chance(30)) {
        const name = `F${(names += 1)}`;
        fragments.push(`fragment ${name} on ${member.name} ${selection(member, depth + 1)}`);
        return `...${name}${directive()}`;
      }
      return `...${isAbstractType(type) || dice.chance(50) ? ` on ${member.name}` : ''}${directive()} ${selection(member, depth + 1)}`;
    }
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    return fieldOf(dice.pick(fields), depth);
  }

  const root = schema.getRootType(kind as never);
  if (root === null || root === undefined) throw new Error(`the schema has no ${kind}`);
  const body = selection(root, 0);
  const head = definitions.length > 0 ? `${kind} R(${definitions.join(', ')})` : kind;
  return { kind, query: damaged([`${head} ${body}`, ...fragments].join('\n'), dice), variables };
}

/** Now and then takes out, doubles or replaces a few characters. */
function damaged(text: string, dice: Dice): string {
  if (!dice.chance(8)) return text;
  const at = dice.below(text.length);
  const insert = dice.pick(['', text.slice(at, at + 5), '{', '}', '"', '@', '...', '$', '\u0000', '&', '"""', '[']);
  return text.slice(0, at) + insert + text.slice(at + dice.below(4));
}

/** A value as it is written in a document. */
function literal(value: unknown, type: GraphQLInputType): string {
  const bare = getNullableType(type);
  if (value === null || typeof value !== 'object') {
    return isEnumType(getNamedType(bare)) && typeof value === 'string' ? value : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    const inner = isListType(bare) ? bare.ofType : bare;
    return `[${value.map((item) => literal(item, inner)).join(', ')}]`;
  }
  const fields = isInputObjectType(bare) ? bare.getFields() : {};
  return `{ ${Object.entries(value)
    .map(([name, item]) => `${name}: ${literal(item, fields[name]?.type ?? bare)}`)
    .join(', ')} }`;
}
