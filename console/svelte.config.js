/** Types are TypeScript that Svelte itself takes away; nothing else is processed. */
export default { compilerOptions: { runes: true } };
