// Builds the lists in the documentation that are derived from tables in the code.
import { errorAdvice } from '../dist/src/graphql/error-advice.js';
import { roles, roleScopes, scopeActs } from '../dist/src/tenants/roles.js';

// Each role may do what the one before it may, and more.
export function scopeList() {
  const lines = roles.map((role, at) => {
    const before = at === 0 ? [] : roleScopes[roles[at - 1]];
    const own = Object.entries(scopeActs).filter(
      ([scope]) => roleScopes[role].includes(scope) && !before.includes(scope),
    );
    if (!before.every((scope) => roleScopes[role].includes(scope)))
      throw new Error(`${role} lacks a scope of the role before it`);
    return `- **${role}**${at === 0 ? '' : ` also`}: ${own.map(([scope, act]) => `${act} (\`${scope}\`)`).join(', ')}`;
  });
  return lines.join('\n');
}

// What a client can do about each error code of GraphQL.
export function errorList() {
  const rows = siblings(Object.entries(errorAdvice).map(([code, meaning]) => [code, { meaning }]));
  return rows.map((run) => `- ${run.map(([code]) => `\`${code}\``).join(', ')}: ${run[0][1].meaning}.`).join('\n');
}

// Groups consecutive entries that have the same meaning.
export function siblings(entries) {
  return entries.reduce((runs, entry) => {
    const last = runs.at(-1);
    return last?.[0][1].meaning === entry[1].meaning ? [...runs.slice(0, -1), [...last, entry]] : [...runs, [entry]];
  }, []);
}
