import type { Json } from './json-object.ts';

/**
 * A closed list as a schema. Its constants are prefixed with the name of the list, since generated Go has one scope
 * for all constants, and many lists share values.
 */
export function enumSchema(name: string, values: readonly string[], description?: string): Json {
  return {
    type: 'string',
    ...(description !== undefined && { description }),
    enum: values,
    'x-enum-varnames': values.map((value) => constantName(name, value)),
  };
}

/** `ml` of `LangSearch` becomes `LANG_SEARCH_ML`; an empty value becomes `LANG_SEARCH_EMPTY`. */
function constantName(list: string, value: string): string {
  const words = list.replaceAll(/([a-z])([A-Z])/g, '$1_$2');
  return `${words}_${value === '' ? 'empty' : value}`.replaceAll(/\W+/g, '_').toUpperCase();
}
