import type { Resource } from './fields.ts';

/** Triggers that call the function `<resource>_<name>` after each statement, with what rows were (`former`) and are (`changed`). */
export function statementTriggers(resource: Resource, name: string): string {
  const rows = {
    created: ['INSERT', 'NEW TABLE AS changed'],
    changed: ['UPDATE', 'OLD TABLE AS former NEW TABLE AS changed'],
    deleted: ['DELETE', 'OLD TABLE AS former'],
  } as const;
  const triggers = Object.entries(rows).map(
    ([after, [act, tables]]) => `CREATE OR REPLACE TRIGGER ${resource}_${name}_${after} AFTER ${act} ON "${resource}"
  REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION ${resource}_${name}();
`,
  );
  return triggers.join('');
}
