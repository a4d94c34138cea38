import type { Resource } from './fields.ts';

/** What a trigger function does after each kind of statement, as SQL without its last semicolon. */
type Acts = Readonly<{ created: string; changed: string; deleted: string }>;

/**
 * What goes around the acts of a trigger function: settings while it runs, its variables, and what it does first.
 * SQL, each empty by default.
 */
type Frame = Readonly<{ settings?: string; variables?: string; first?: string }>;

/**
 * The function `<resource>_<name>` and the triggers that call it. `former` has the rows before a statement, `changed`
 * those after it.
 */
export function statementFunction(
  resource: Resource,
  name: string,
  { created, changed, deleted }: Acts,
  { settings = '', variables = '', first = '' }: Frame = {},
): string {
  return `CREATE OR REPLACE FUNCTION ${resource}_${name}() RETURNS TRIGGER LANGUAGE plpgsql${settings} AS $$
${variables}BEGIN
${first}  IF TG_OP = 'INSERT' THEN
    ${created};
  ELSIF TG_OP = 'UPDATE' THEN
    ${changed};
  ELSE
    ${deleted};
  END IF;
  RETURN NULL;
END $$;

${statementTriggers(resource, name)}`;
}

/**
 * Triggers that call the function `<resource>_<name>` after each statement, with the rows before it (`former`) and
 * after it (`changed`).
 */
function statementTriggers(resource: Resource, name: string): string {
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
