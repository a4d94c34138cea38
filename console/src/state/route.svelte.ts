import { hasTerm } from '../search/formula.ts';

/** The content of the address bar: everything that a link to a colleague needs. */
export type Route = Readonly<{
  page: 'search' | 'operations' | 'import' | 'duplicates' | 'collections' | 'admin';
  kind: 'image' | 'video';
  q: string;
  /** A value of `ImageSort` or `VideoSort`; '' for the service's default order. */
  sort: string;
  order: 'asc' | 'desc';
  view: 'grid' | 'list';
  size: 's' | 'm' | 'l';
  /** Id of the open record. */
  open: string | null;
  /** Number of the operation that is shown. */
  operation: string | null;
  /** Name of the collection that is being ordered. */
  collection: string | null;
  /** Part of the administration that is shown. */
  tab: 'keys' | 'audit' | 'system';
  /** Which groups of duplicates are listed, and which page of them. */
  groups: 'undecided' | 'all';
  part: string;
  /** Ids of images: one of the open group, the chosen one, and the one that it is compared with. */
  group: string | null;
  picture: string | null;
  reference: string | null;
  /** Whether the two are shown on top of each other. */
  compare: 'no' | 'yes';
  /** What an import does with pictures that the catalog already has; `rule` applies its rule. */
  copies: 'rule' | 'keep' | 'flag' | 'reject';
}>;

const standard: Route = {
  page: 'search',
  kind: 'image',
  q: '',
  sort: '',
  order: 'desc',
  view: 'grid',
  size: 'm',
  open: null,
  operation: null,
  collection: null,
  tab: 'keys',
  groups: 'undecided',
  part: '1',
  group: null,
  picture: null,
  reference: null,
  compare: 'no',
  copies: 'rule',
};

const choices: Readonly<Partial<Record<keyof Route, readonly string[]>>> = {
  page: ['search', 'operations', 'import', 'duplicates', 'collections', 'admin'],
  kind: ['image', 'video'],
  order: ['asc', 'desc'],
  view: ['grid', 'list'],
  size: ['s', 'm', 'l'],
  tab: ['keys', 'audit', 'system'],
  groups: ['undecided', 'all'],
  compare: ['no', 'yes'],
  copies: ['rule', 'keep', 'flag', 'reject'],
};

const numbers: ReadonlySet<string> = new Set<keyof Route>(['operation', 'part']);

function isAllowed(name: string, text: string): boolean {
  if (numbers.has(name)) return /^\d{1,15}$/.test(text);
  return choices[name as keyof Route]?.includes(text) !== false;
}

function read(search: string): Route {
  const given = new URLSearchParams(search);
  const entries = Object.entries(standard).map(([name, value]) => {
    const text = given.get(name);
    return [name, text === null || !isAllowed(name, text) ? value : text];
  });
  return Object.fromEntries(entries) as Route;
}

/** Drops an order that only the results of certain formulas can have. */
function withKnownOrder(wanted: Route): Route {
  const isKnown = (wanted.sort !== 'similarity' && wanted.sort !== 'collection') || hasTerm(wanted.q, wanted.sort);
  return isKnown ? wanted : { ...wanted, sort: standard.sort, order: standard.order };
}

/** The address of a route, without default values. */
export function addressOf(route: Route): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(withKnownOrder(route))) {
    if (value !== null && value !== standard[name as keyof Route]) parameters.set(name, value);
  }
  const search = parameters.toString();
  return search === '' ? location.pathname : `${location.pathname}?${search}`;
}

let current = $state.raw(read(location.search));
let isGoingBack = false;
addEventListener('popstate', () => {
  isGoingBack = false;
  current = read(location.search);
});

/** The current route. */
export function route(): Route {
  return current;
}

/** Leaves a group of duplicates. */
export const noGroup = { group: null, picture: null, reference: null } as const;

/** Leaves other pages for the search page. */
export const toSearch = {
  page: 'search',
  operation: null,
  collection: null,
  tab: 'keys',
  groups: 'undecided',
  part: '1',
  compare: 'no',
  copies: 'rule',
  ...noGroup,
} as const;

/**
 * What a step of the history keeps: how far its results are scrolled, and whether what lies over its page was opened from
 * the step before.
 */
type Step = Readonly<{ scroll?: number; isOpened?: boolean }>;

const step = () => (history.state ?? {}) as Step;

/** How far the results of the current step of the history are scrolled. */
export function keptScroll(): number {
  return step().scroll ?? 0;
}

/** Saves how far the results are scrolled, for when the user comes back to them, even after a reload. */
export function keepScroll(scroll: number): void {
  if (scroll !== keptScroll()) history.replaceState({ ...step(), scroll } satisfies Step, '');
}

/** Whether two routes show the same results: a record that is opened lies over them. */
function showsSame(a: Route, b: Route): boolean {
  return (['page', 'kind', 'q', 'sort', 'order', 'view'] as const).every((name) => a[name] === b[name]);
}

/** Whether something lies over the page: a record, or two pictures that are compared. */
function isCovered({ open, compare }: Route): boolean {
  return open !== null || compare === 'yes';
}

/** Changes the address; a search always opens the search page. `replace` adds no step to go back to. */
export function go(changes: Partial<Route>, { replace = false } = {}): void {
  const next = withKnownOrder({ ...current, ...('q' in changes && toSearch), ...changes });
  const address = addressOf(next);
  if (address === location.pathname + location.search) return;
  const isOpened = isCovered(next) && (replace ? step().isOpened === true : !isCovered(current));
  const kept: Step = { isOpened, ...(showsSame(current, next) && { scroll: keptScroll() }) };
  history[replace ? 'replaceState' : 'pushState'](kept, '', address);
  current = next;
}

/**
 * Closes what lies over the page. Goes back to where it was opened from, so that a further step back does not open it
 * again.
 */
export function uncover(): void {
  if (step().isOpened !== true) return go({ open: null, compare: 'no' }, { replace: current.open === null });
  if (!isGoingBack) history.back();
  isGoingBack = true;
}

/** Handles a click on a link with this route: without a modifier it stays in this page. */
export function follow(event: MouseEvent, changes: Partial<Route>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(changes);
}
