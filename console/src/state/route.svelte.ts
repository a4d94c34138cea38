/** What the address bar holds: everything that a link to a colleague needs. */
export type Route = Readonly<{
  kind: 'image' | 'video';
  q: string;
  /** A value of `ImageSort` or `VideoSort`; '' for the service's own order. */
  sort: string;
  order: 'asc' | 'desc';
  view: 'grid' | 'list';
  size: 's' | 'm' | 'l';
  /** Id of the record that is looked at. */
  open: string | null;
}>;

const standard: Route = { kind: 'image', q: '', sort: '', order: 'desc', view: 'grid', size: 'm', open: null };

const choices: Readonly<Partial<Record<keyof Route, readonly string[]>>> = {
  kind: ['image', 'video'],
  order: ['asc', 'desc'],
  view: ['grid', 'list'],
  size: ['s', 'm', 'l'],
};

function read(search: string): Route {
  const given = new URLSearchParams(search);
  const entries = Object.entries(standard).map(([name, value]) => {
    const text = given.get(name);
    const allowed = choices[name as keyof Route];
    return [name, text === null || allowed?.includes(text) === false ? value : text];
  });
  return Object.fromEntries(entries) as Route;
}

/** The address of a route, what is standard left out. */
export function addressOf(route: Route): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(route)) {
    if (value !== null && value !== standard[name as keyof Route]) parameters.set(name, value);
  }
  const search = parameters.toString();
  return search === '' ? '/app/' : `/app/?${search}`;
}

let current = $state.raw(read(location.search));
addEventListener('popstate', () => (current = read(location.search)));

/** The route now. */
export function route(): Route {
  return current;
}

/** Changes the address; `replace` leaves no step to go back to. */
export function go(changes: Partial<Route>, { replace = false } = {}): void {
  const next = { ...current, ...changes };
  const address = addressOf(next);
  if (address === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  current = next;
}

/** What a link with this route does: a click without a modifier stays in this page. */
export function follow(event: MouseEvent, changes: Partial<Route>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go(changes);
}
