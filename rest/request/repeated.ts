import type { Parameter } from '../endpoints/endpoint.ts';

/** Longest query that a hint repeats. */
const maxLength = 1_000;

/** What to send where lists come as other services take them; null where nothing of that kind was sent. */
export type RepeatHint = (target: string) => string | null;

/**
 * Makes the hint for who joins the values of a list by commas, or puts brackets behind its name. Neither is
 * understood, as legacy clients know it: the first is a fault, the second an unknown name.
 */
export function createRepeatHint(parameters: readonly Parameter[]): RepeatHint {
  const lists = parameters.flatMap(({ name, in: place, type }) =>
    place === 'query' && type.kind === 'list' ? [name] : [],
  );
  return (target) => {
    const mark = target.indexOf('?');
    if (lists.length === 0 || mark === -1 || !/[,[]|%2c|%5b/i.test(target.slice(mark))) return null;
    const parts = target
      .slice(mark + 1)
      .split('&')
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

/** One parameter as it was sent, or as it is to be sent where it is a list that is not repeated. */
function toPart(sent: string, lists: readonly string[]): Part {
  const [[name = '', value = ''] = []] = new URLSearchParams(`?${sent}`);
  const list = name.replace(/\[\d*\]$/, '');
  const values = value
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
  const isOther = lists.includes(list) && (name !== list || value.includes(',')) && values.length > 0;
  // Whatever else was sent is shown as it was, but for what no header may hold.
  if (!isOther) return { text: sent.replace(/[^!-~]|["\\]/g, encodeURIComponent), isChanged: false };
  return {
    text: values.map((each) => `${list}=${encodeURIComponent(each.toWellFormed())}`).join('&'),
    isChanged: true,
  };
}
