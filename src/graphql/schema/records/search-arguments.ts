import { sortsOf } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { formulaLangArg, sortOrderArg } from '../search/list-arguments.ts';
import type { RecordNames } from './record-type.ts';

export type SearchArgs = ReturnType<typeof searchArgs>;

/** Returns the search arguments of record lists, regardless of how the lists are paginated. */
export function searchArgs({ resource, type: name, many }: RecordNames) {
  const Sort = builder.enumType(`${name}Sort`, {
    description: `What a list of ${many} can be sorted by.${resource === 'image' ? ' `similarity`, or `sim` for short, needs a formula with a similarity term.' : ''}`,
    values: sortsOf(resource).filter((sort) => sort !== ''),
  });
  return builder.args((t) => ({
    q: t.string({ description: 'The search formula; default: everything.' }),
    ...formulaLangArg,
    sortBy: t.field({
      type: Sort,
      description:
        'Field to sort by. By default the most similar come first if the formula has a similarity term, else ' +
        'the most relevant to its bare text, else the newest.',
    }),
    ...sortOrderArg,
  }));
}
