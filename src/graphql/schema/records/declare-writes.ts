import type { Resource, WriteElement } from '../../../catalog/index.ts';
import { AppError } from '../../../lib/errors.ts';
import { builder, LanguageEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { SearchLanguageEnum } from '../search/list-arguments.ts';
import type { FormulaAsked } from '../search/search-query.ts';
import { ruleArgsOf } from './on-duplicate.ts';
import type { RecordNames } from './record-type.ts';
import { declareInputs, toElement, toValues } from './record-input.ts';
import type { RecordInputShape } from './record-input.ts';
import { selectionOf } from './selection.ts';
import type { Selection } from './selection.ts';
import { write, writeArgs, WriteResult } from './write-records.ts';

/**
 * Arguments of writes of one record. A write takes both even if it can never satisfy one of them, so that it is not
 * ignored.
 */
const conditionArgs = builder.args((t) => ({
  ifMatch: t.string({
    description:
      'The required `version` of the record, or `*` for any. Otherwise the write of this record fails with ' +
      '`precondition_failed`. Several are separated by commas, each in quotes.',
  }),
  ifNoneMatch: t.string({
    description:
      '`*` writes the record only if there is none with its id. Otherwise its write fails with `precondition_failed`.',
  }),
}));

/** Arguments of writes that change fields of existing records. */
const lockArgs = builder.args((t) => ({
  respectLocks: t.boolean({
    defaultValue: false,
    required: true,
    description: 'Keep the values of fields that `lockedFields` of the record names, and the locks themselves.',
  }),
}));

/** Arguments of writes to the records that a formula finds. */
const formulaArgs = (many: string) =>
  builder.args((t) => ({
    q: t.string({
      description: `A formula instead of ${many}: what it finds when the write is accepted, at most 10 000. \`*\` is all.`,
    }),
    qLang: t.field({ type: SearchLanguageEnum, description: 'Language of the words in the formula; default `ml`.' }),
  }));

type FormulaArgs = Readonly<{
  q?: string | null;
  qLang?: FormulaAsked['lang'];
  ifMatch?: string | null;
  ifNoneMatch?: string | null;
}>;

/** Returns the formula of a write; null if none is given. @throws AppError `invalid_argument` */
function askedOf(
  args: FormulaArgs,
  instead: Readonly<{ argument: string; isGiven: boolean }>,
  many: string,
): FormulaAsked | null {
  const { q = null, qLang: lang } = args;
  if (q === null && instead.isGiven) return null;
  if (q === null || instead.isGiven) {
    throw new AppError('invalid_argument', `Give either ${instead.argument} or q`, { argument: instead.argument });
  }
  if (q.trim() === '') {
    const message = `An empty formula would write all ${many}`;
    throw new AppError('invalid_argument', message, { argument: 'q', hint: 'Send * for all' });
  }
  const argument = (['ifMatch', 'ifNoneMatch'] as const).find((name) => typeof args[name] === 'string');
  if (argument !== undefined) {
    const hint = `Name one of the ${many} by its id`;
    throw new AppError('invalid_argument', `${argument} cannot be combined with a formula`, { argument, hint });
  }
  return { q, lang };
}

/** Declares the root fields of the schema that write a kind of record. */
export function declareWrites(names: RecordNames): void {
  const written = argumentsOf(names);
  declareWhole(names, written);
  declareUpdate(names, written);
  declareDelete(names);
}

type Written = ReturnType<typeof argumentsOf>;

/** Returns the arguments that writes of a kind of record share, and how they become elements. */
function argumentsOf(names: RecordNames) {
  const { resource, many } = names;
  const { Input, SetInput } = declareInputs(names);
  const textArgs = builder.args((t) => ({
    lang: t.field({ type: LanguageEnum, description: 'Language of the texts; default for new records: Spanish.' }),
    ...ruleArgsOf(resource),
  }));
  return {
    elementArgs: builder.args((t) => ({
      [many]: t.field({ type: [Input], required: true, description: `The ${many}, 1 to 10 000.` }),
    })),
    updateArgs: builder.args((t) => ({
      [many]: t.field({ type: [Input], description: `The ${many}, 1 to 10 000; or \`q\` and \`set\`.` }),
      set: t.field({ type: SetInput, description: `What is written to all ${many} of the formula.` }),
    })),
    textArgs,
    /** The argument with the elements is named after them, which types cannot express. */
    elementsOf: (args: Readonly<Record<string, unknown>>) => (args[many] as RecordInputShape[]).map(toElement),
  };
}

/** Declares writes of whole records. */
function declareWhole({ resource, type, many, scope }: RecordNames, { elementArgs, textArgs, elementsOf }: Written) {
  const kind = `${resource}s` as const;
  builder.mutationFields((t) => ({
    [`create${type}s`]: t.field({
      type: WriteResult,
      description: `Creates ${many}. An element whose id exists fails with \`already_exists\`.`,
      args: { ...elementArgs, ...textArgs, ...conditionArgs, ...writeArgs },
      authScopes: { scope },
      resolve: (_root, args, context) => write(`${kind}.create`, elementsOf(args), args, context, { argument: many }),
    }),
    [`replace${type}s`]: t.field({
      type: WriteResult,
      description: `Replaces ${many} completely: absent fields are cleared.`,
      args: {
        ...elementArgs,
        ...textArgs,
        ...conditionArgs,
        ...lockArgs,
        ...writeArgs,
        upsert: t.arg.boolean({ defaultValue: false, required: true, description: 'Create missing records.' }),
      },
      authScopes: { scope },
      resolve: (_root, args, context) => {
        // With `ifMatch`, the record must exist, so it is not created.
        const creates = (args.upsert || typeof args.ifNoneMatch === 'string') && typeof args.ifMatch !== 'string';
        const action = creates ? 'upsert' : 'replace';
        return write(`${kind}.${action}`, elementsOf(args), args, context, { argument: many });
      },
    }),
  }));
}

type UpdateArgs = FormulaArgs & Readonly<Record<string, unknown>>;

function declareUpdate(names: RecordNames, { updateArgs, textArgs, elementsOf }: Written) {
  const { resource, type, many, scope } = names;
  const what = (args: UpdateArgs, context: Context): readonly WriteElement[] | Selection => {
    const asked = askedOf(args, { argument: many, isGiven: (args[many] ?? null) !== null }, many);
    const set = args['set'] ?? null;
    if (asked !== null) return setting(context, resource, asked, set);
    if (set === null) return elementsOf(args);
    throw new AppError('invalid_argument', 'set requires a formula in q', { argument: 'set' });
  };
  builder.mutationField(`update${type}s`, (t) =>
    t.field({
      type: WriteResult,
      description: `Changes the sent fields and keeps the others, in the given ${many} or in all that a formula finds.`,
      args: { ...updateArgs, ...formulaArgs(many), ...textArgs, ...conditionArgs, ...lockArgs, ...writeArgs },
      authScopes: { scope },
      resolve: (_root, args, context) =>
        write(`${resource}s.update`, what(args, context), args, context, { argument: many }),
    }),
  );
}

/** @throws AppError `invalid_argument` if nothing is set. */
function setting(context: Context, resource: Resource, asked: FormulaAsked, set: unknown): Selection {
  const values = toValues((set ?? {}) as Parameters<typeof toValues>[0]);
  if (Object.keys(values).length === 0) {
    throw new AppError('invalid_argument', 'set must have at least one field', { argument: 'set' });
  }
  return selectionOf(context, resource, asked, { values, correctsWords: false });
}

function declareDelete({ resource, type, many, scope }: RecordNames) {
  builder.mutationField(`delete${type}s`, (t) =>
    t.field({
      type: WriteResult,
      description: `Deletes ${many}, by their ids or by a formula.`,
      args: {
        ids: t.arg.idList({ description: 'Their ids, 1 to 10 000; or `q`.' }),
        unknownFields: t.arg({
          type: t.arg.listRef(t.arg.listRef('String')),
          description: 'Names of fields that the caller sent beside each id; a strict operation refuses them.',
        }),
        ...formulaArgs(many),
        ...conditionArgs,
        ...writeArgs,
      },
      authScopes: { scope },
      resolve: (_root, { ids = null, unknownFields, ...args }, context) => {
        const asked = askedOf(args, { argument: 'ids', isGiven: ids !== null }, many);
        const elements = (ids ?? []).map((id, at) => toElement({ id, unknownFields: unknownFields?.[at] ?? null }));
        const what =
          asked === null ? elements : selectionOf(context, resource, asked, { values: {}, correctsWords: false });
        return write(`${resource}s.delete`, what, args, context, { argument: 'ids' });
      },
    }),
  );
}
