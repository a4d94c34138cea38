import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from '../../console/src/i18n/en.ts';
import { es } from '../../console/src/i18n/es.ts';
import { findingIn } from '../../console/src/i18n/finding.ts';
import { elementErrorCodes, errorCodes } from '../../src/lib/errors.ts';
import { packageRoot } from '../../src/lib/package-root.ts';
import { messages } from '../../src/search/explain/messages.ts';
import { phrases } from '../../src/search/explain/phrases.ts';
import { formulaErrorCodes } from '../../src/search/formula/errors.ts';
import { openerOf } from '../../src/tables/open-table.ts';
import { checkFileName } from '../../src/uploads/address.ts';
import { empty as emptyFile } from '../../src/uploads/refusals.ts';
import { auditActions } from '../../src/tenants/audit-actions.ts';
import { roles } from '../../src/tenants/roles.ts';

type Message = string | ((...given: unknown[]) => unknown);

/** Messages by their path. Words for what the service names in English are only in other languages. */
function messagesIn(words: unknown, path = ''): [string, Message][] {
  if (typeof words === 'string' || typeof words === 'function') return [[path, words as Message]];
  if (typeof words !== 'object' || words === null) return [];
  return Object.entries(words).flatMap(([name, each]) => messagesIn(each, path === '' ? name : `${path}.${name}`));
}

const isOfService = (path: string) => /^(?:values|faults)\./.test(path);

/** What a message says to each of these: about many, and about one. A value is a mark that can be found again. */
function said(message: Message, path: string): string[] {
  if (typeof message === 'string') return [message];
  const marks = Array.from({ length: Math.max(1, message.length) }, (_, at) => `⟨${at}⟩`);
  const firsts = special[path] ?? (marks.length > 1 ? [marks[0], 1] : [marks[0]]);
  // A count comes with its text, and messages about one may write it out.
  return firsts.map((first) => String(message(first, ...(first === 1 ? ['1'] : marks.slice(1, 2)), ...marks.slice(2))));
}

/** What messages are given that read more than a count or a text. */
const special: Readonly<Record<string, readonly unknown[]>> = {
  'operations.what': ['images.create', 'images.purge', 'images.undo'].map((kind) => {
    return { kind, method: 'add', resource: 'image', numTotal: 5 };
  }),
  'table.note': ['separated by semicolons', 'separated by tabs', 'read as Latin-1'],
  'table.place': ['row ⟨0⟩', 'line ⟨0⟩', 'record ⟨0⟩'],
};

const marksIn = (text: string) => [...new Set(text.match(/⟨\d⟩/g))].toSorted();

/** Words that are the same in both languages, and names. */
const equal = new Set(['Vitrine', 'no', 'URL']);
/** Keys of the keyboard, and messages that only consist of values. */
const isNoWord = (text: string) => !/\p{L}{2}/u.test(text.replaceAll(/\b(?:Ctrl|Esc)\b/g, ''));

describe('the words of the console in Spanish', () => {
  const english = messagesIn(en).filter(([path]) => !isOfService(path));
  const spanish = new Map(messagesIn(es));

  it('are there for every message in English', () => {
    const missing = english.filter(([path]) => !spanish.has(path)).map(([path]) => path);
    expect(missing).toEqual([]);
  });

  it('are not left in English', () => {
    const left = english.filter(([path, message]) => {
      const [own, other] = [said(message, path), said(spanish.get(path) ?? '', path)];
      return own.some((text, at) => text === other[at] && !equal.has(text) && !isNoWord(text));
    });
    expect(left.map(([path]) => path)).toEqual([]);
  });

  it('hold every value that the message in English holds', () => {
    const lacking = english.filter(([path, message]) => {
      const [own, other] = [said(message, path), said(spanish.get(path) ?? '', path)];
      return own.some((text, at) => marksIn(text).join() !== marksIn(other[at] ?? '').join());
    });
    expect(lacking.map(([path]) => path)).toEqual([]);
  });

  it('have the quotation, question and exclamation marks of Spanish', () => {
    const wrong = [...spanish].flatMap(([path, message]) => {
      if (path.startsWith('faults.formulas.') || path === 'values.color') return [];
      return said(message, path).filter((text) => {
        const count = (sign: string) => text.split(sign).length;
        const isOpen = count('¿') !== count('?') || count('¡') !== count('!') || count('«') !== count('»');
        return isOpen || /["“”]/.test(text);
      });
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['a.ndjson', '{"id":', 'no es JSON válido'],
    ['a.ndjson', '7', 'no es un registro: debe ser un objeto, como {"id": "1", "src_path": "a.jpg"}'],
    ['a.ndjson', `"${'x'.repeat(2 ** 22)}"`, 'tiene más de 4 millones de caracteres'],
    ['a.csv', 'id,title\n1,a,b\n', 'celdas: 3; el encabezado tiene 2'],
    ['a.csv', 'id,title\n1,"a\n', 'aquí se abren unas comillas que no se cierran: el resto no se ha leído'],
  ])('say why a row of %s is no record', async (path, content, said) => {
    const source = await openerOf(path)?.(path, async function* () {
      yield Buffer.from(content);
    });
    const faults: string[] = [];
    for await (const entry of source?.read(await source.columns()) ?? [])
      if ('fault' in entry) faults.push(entry.fault);
    expect(faults.map(es.table.fault)).toEqual([said]);
  });

  it('say why a file without bytes is refused, or one of such a name', () => {
    const refused = ['a\tb', 'a'.repeat(1000)].map((name) => {
      try {
        return checkFileName(name);
      } catch (error) {
        return String((error as Error).message);
      }
    });
    for (const message of [emptyFile().message, ...refused])
      expect(es.faults.messages[message ?? ''], String(message)).toBeTypeOf('string');
  });

  it('say what the doctor finds', () => {
    const folder = join(packageRoot, 'src', 'doctor');
    const code = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const texts = code.flatMap((each) => [...each.matchAll(/(?:text|remedy|what)(?::| =)\s+(['`])((?:(?!\1).)+)\1/gs)]);
    // With a value in place of each expression; a text inside of one is none of its own.
    const said = texts.map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, '7'));
    const sentences = said.filter((text) => /[a-z]{2,} [a-z]/i.test(text) && !text.includes('${'));
    expect(sentences.length).toBeGreaterThan(80);
    expect(sentences.filter((text) => findingIn('es', text) === text)).toEqual([]);
    expect(findingIn('es', '2 of 3 large tenants have an index of vectors: PostgreSQL has no pgvector')).toBe(
      '2 de 3 inquilinos grandes tienen un índice de vectores: PostgreSQL no tiene pgvector',
    );
  });

  it('name every error, role and action of the service', () => {
    // Their messages say which argument is wrong; mistakes in formulas have words of their own.
    const said = ['invalid_argument', 'invalid_formula', 'invalid_input_combination', 'idempotency_key_reused'];
    const { faults, values } = es;
    expect(Object.keys(faults.requests)).toEqual(
      expect.arrayContaining(errorCodes.filter((code) => !said.includes(code))),
    );
    expect(Object.keys(faults.elements).toSorted()).toEqual([...elementErrorCodes].toSorted());
    expect(Object.keys(faults.formulas).toSorted()).toEqual([...formulaErrorCodes].toSorted());
    expect(Object.keys(values.audit)).toEqual(Object.keys(auditActions));
    expect(Object.keys(values.roles)).toEqual([...roles]);
  });
});

describe('the words of explanations in Spanish', () => {
  const tables = [
    ['messages', messages.en, messages.es],
    ['phrases', phrases.en, phrases.es],
  ] as const;

  it.each(tables)('are there for each of the %s in English', (_name, english, spanish) => {
    const missing = messagesIn(english).filter(([path]) => !new Map(messagesIn(spanish)).has(path));
    expect(missing).toEqual([]);
  });
});
