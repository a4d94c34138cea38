import { route } from './route.svelte.ts';

/** What stands in the search box, sent or not. */
export const draft = $state({ q: route().q });
