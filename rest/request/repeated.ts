import type { Parameter } from '../endpoints/endpoint.ts';

/** Maximum length of a query that a hint repeats. */
const maxLength = 1_000;

/** Says what to send instead if a request writes lists in the style of other services; null if it does not. */
type RepeatHint = (target: string) => string | null;

/**
 * Creates the hint for callers that join the values of a list with commas, or append brackets to its name. Legacy
 * clients expect neither to work: the first is an error, the second an unknown name.
 */
export function createRepeatHint(parameters: readonly Parameter[]): RepeatHint {
  const lists = parameters.flatMap(({ name, in: place, type }) =>
    place === 'query' && type.kind === 'list' ? [name] : [],
  );
  return (target) => {
    const mark = target.indexOf('?');
    if (lists.length === 0 || mark === -1 || !/[,[]|%2c|%5b/i.test(target.slice(mark))) return null;
    // Later ones would not fit.
    const parts = target
      .slice(mark + 1)
      .split('&', maxLength)
      .map((sent) => toPart(sent, lists));
    if (!parts.some(({ isChanged }) => isChanged)) return null;
    const all = queryOf(parts);
    if (all.length <= maxLength) return `Repeat the parameter: ${all}`;
    const changed = queryOf(parts.filter(({ isChanged }) => isChanged));
    return `Repeat the parameter: ${changed.length <= maxLength ? changed : 'name=a&name=b'}`;
  };
}

type Part = Readonly<{ text: string; isChanged: boolean }>;

const queryOf = (parts: readonly Part[]) => `?${parts.map(({ text }) => text).join('&')}`;

/** One parameter as it was sent or, if it is a list in another style, as it should be sent. */
function toPart(sent: string, lists: readonly string[]): Part {
  const [[name = '', value = ''] = []] = new URLSearchParams(`?${sent}`);
  const list = name.replace(/\[\d*\]$/, '');
  const values = value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const isOther = lists.includes(list) && (name !== list || value.includes(',')) && values.length > 0;
  // Everything else is shown as sent, except for characters that a header must not contain.
  if (!isOther) return { text: sent.replace(/[^!-~]|["\\]/g, encodeURIComponent), isChanged: false };
  return {
    text: values.map((each) => `${list}=${encodeURIComponent(each.toWellFormed())}`).join('&'),
    isChanged: true,
  };
}
