// Finds changes from one OpenAPI document to another that break a client of the first, each with its location. A
// client sends what it knows and ignores what it does not know, so new endpoints, optional parameters and additional
// reply fields break nothing.
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Bounds on what a client sends; a change is breaking if the new document allows less. */
const bounds = [
  ['minimum', (before, after) => after > (before ?? -Infinity)],
  ['minLength', (before, after) => after > (before ?? 0)],
  ['minItems', (before, after) => after > (before ?? 0)],
  ['maximum', (before, after) => after < (before ?? Infinity)],
  ['maxLength', (before, after) => after < (before ?? Infinity)],
  ['maxItems', (before, after) => after < (before ?? Infinity)],
];

/** Changes from `before` to `after` that break clients of `before`, as sentences. */
export function openApiChanges(before, after) {
  const changes = [];
  for (const [path, item] of Object.entries(before.paths)) {
    for (const method of methods.filter((each) => item[each] !== undefined)) {
      const place = `${method.toUpperCase()} ${path}`;
      const own = after.paths[path]?.[method];
      if (own === undefined) changes.push(`${place} was removed`);
      else compareOperations({ before, after, changes }, place, item[method], own);
    }
  }
  return changes;
}

function compareOperations(documents, place, before, after) {
  compareParameters(documents, place, before.parameters ?? [], after.parameters ?? []);
  compareBodies(documents, place, before.requestBody, after.requestBody);
  for (const [status, reply] of Object.entries(before.responses)) {
    const own = after.responses[status];
    if (own === undefined) documents.changes.push(`${place}: the reply ${status} was removed`);
    else compareContents(documents, `${place} ${status}`, [reply, own], 'reply');
  }
}

function compareParameters(documents, place, before, after) {
  const { changes } = documents;
  const known = new Map(
    before.map((each) => resolved(documents.before, each)).map((each) => [`${each.in} ${each.name}`, each]),
  );
  const own = new Map(
    after.map((each) => resolved(documents.after, each)).map((each) => [`${each.in} ${each.name}`, each]),
  );
  for (const [name, parameter] of known) {
    const now = own.get(name);
    if (now === undefined) changes.push(`${place}: the parameter ${name} was removed`);
    else compareSchemas(documents, `${place} ${name}`, [parameter.schema, now.schema], 'request');
  }
  for (const [name, { required }] of own) {
    if (required && !known.get(name)?.required) changes.push(`${place}: the parameter ${name} is now required`);
  }
}

function compareBodies(documents, place, before, after) {
  if (before === undefined) {
    if (after?.required) documents.changes.push(`${place}: a body is now required`);
    return;
  }
  if (after === undefined) documents.changes.push(`${place}: the body was removed`);
  else compareContents(documents, `${place} body`, [before, after], 'request');
}

function compareContents(documents, place, [before, after], direction) {
  const contents = resolved(documents.before, before).content ?? {};
  const own = resolved(documents.after, after).content ?? {};
  for (const [type, { schema }] of Object.entries(contents)) {
    if (own[type] === undefined) documents.changes.push(`${place}: ${type} was removed`);
    else compareSchemas(documents, place, [schema, own[type].schema], direction);
  }
}

/**
 * Compares what two schemas allow. Each pair of named schemas is compared once per direction and place of first use.
 */
function compareSchemas(documents, place, [before, after], direction, seen = new Set()) {
  if (before === undefined || after === undefined) return;
  const names = `${before.$ref} ${after.$ref}`;
  if (before.$ref !== undefined && after.$ref !== undefined) {
    if (seen.has(names)) return;
    seen.add(names);
  }
  const old = resolved(documents.before, before);
  const now = resolved(documents.after, after);
  compareTypes(documents, place, [old, now], direction);
  compareEnums(documents, place, [old, now], direction);
  if (direction === 'request') {
    for (const [bound, isStricter] of bounds) {
      if (now[bound] !== undefined && isStricter(old[bound], now[bound])) {
        documents.changes.push(`${place}: ${bound} is now ${now[bound]}`);
      }
    }
  }
  compareProperties(documents, place, [old, now], direction, seen);
  compareSchemas(documents, `${place}[]`, [old.items, now.items], direction, seen);
  for (const branch of old.anyOf ?? []) {
    const own = (now.anyOf ?? [now]).find((each) => each.$ref === branch.$ref && each.type === branch.type);
    compareSchemas(documents, place, [branch, own], direction, seen);
  }
}

/** The JSON types that a schema allows; empty for any. */
function typesOf(document, schema) {
  const own = resolved(document, schema);
  if (own.anyOf !== undefined) return [...new Set(own.anyOf.flatMap((each) => typesOf(document, each)))];
  return own.type === undefined ? [] : [own.type].flat();
}

function compareTypes({ before, after, changes }, place, [old, now], direction) {
  const [known, own] = [typesOf(before, old), typesOf(after, now)];
  // A new document must still accept what clients send, and must reply only with what they know.
  const [narrow, wide] = direction === 'request' ? [known, own] : [own, known];
  if (wide.length === 0) return;
  const fits = narrow.length > 0 && narrow.every((type) => wide.includes(type) || isNumber(type, wide));
  if (!fits)
    changes.push(`${place}: the type changed from ${known.join(' or ') || 'any'} to ${own.join(' or ') || 'any'}`);
}

function isNumber(type, types) {
  return type === 'integer' && types.includes('number');
}

function compareEnums({ changes }, place, [old, now], direction) {
  if (direction === 'reply' || now.enum === undefined) return;
  const gone = (old.enum ?? ['any other value']).filter((value) => !now.enum.includes(value));
  if (gone.length > 0) changes.push(`${place}: no longer takes ${gone.join(', ')}`);
}

function compareProperties(documents, place, [old, now], direction, seen) {
  const { changes } = documents;
  const required = new Set(now.required);
  for (const [name, property] of Object.entries(old.properties ?? {})) {
    const own = now.properties?.[name];
    if (own === undefined) changes.push(`${place}: ${name} was removed`);
    else compareSchemas(documents, `${place}.${name}`, [property, own], direction, seen);
    const wasRequired = old.required?.includes(name);
    if (direction === 'reply' && wasRequired && own !== undefined && !required.has(name)) {
      changes.push(`${place}: ${name} may now be missing`);
    }
  }
  if (direction === 'reply') return;
  const added = [...required].filter((name) => !old.required?.includes(name));
  for (const name of added) changes.push(`${place}: ${name} is now required`);
}

function resolved(document, value) {
  const path = value?.$ref;
  if (path === undefined) return value;
  return path
    .slice(2)
    .split('/')
    .reduce((at, key) => at?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
}
