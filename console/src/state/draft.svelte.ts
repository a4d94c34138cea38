import { route } from './route.svelte.ts';

/** The text in the search box, submitted or not. */
export const draft = $state({ q: route().q });
