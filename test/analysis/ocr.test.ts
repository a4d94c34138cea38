import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Language } from '../../src/analysis/index.ts';
import { firstOf, full } from '../support/effort.ts';
import { sharedBuiltinAnalyzer } from '../support/shared-analyzer.ts';

/** Drawn for these tests, with fonts that anybody may use. */
const folder = join(import.meta.dirname, '../fixtures/ocr');

async function read(file: string, lang: Language) {
  const { outcomes } = await sharedBuiltinAnalyzer.analyze({
    bytes: readFileSync(join(folder, file)),
    want: ['ocr'],
    langs: [lang],
  });
  const { text, turned, lines } = outcomes.ocr?.result ?? {};
  return { text, turned, langs: [...new Set(lines?.map(({ lang: each }) => each))] };
}

const french = { text: 'À bientôt sur nos lignes', turned: 90, langs: ['fr'] };
const portuguese = {
  text: 'Segundo andar, sala doze\nGreve entra na terceira semana\nInformações e reservas',
  turned: 180,
  langs: ['pt'],
};

describe('text in a picture', () => {
  it.each(
    firstOf(1, [
      ['on its head', 'upside-down-pt.webp', 'pt', portuguese],
      ['on its side, in another language than was requested', 'quarter-turn-fr.webp', 'en', french],
      ['on its side', 'quarter-turn-fr.webp', 'fr', french],
      ['on its head, in another language than was requested', 'upside-down-pt.webp', 'en', portuguese],
    ] as const),
  )('that stands %s is not read as what it looks like upright', full, async (_what, file, lang, expected) => {
    expect(await read(file, lang)).toEqual(expected);
  });

  it('is read as a whole where what is behind it changes', full, async () => {
    expect(await read('changing-ground-es.webp', 'es')).toMatchObject({
      text: 'La ministra inaugura el puente\nCerrado los lunes y martes',
    });
  });

  it('with an outline is read where its own color is behind it', full, async () => {
    expect(await read('outline-en.webp', 'en')).toMatchObject({ text: 'Ferry to the islands\nWinter timetable' });
  });

  it('on a sign is read without the sign', full, async () => {
    expect(await read('sign-pt.webp', 'pt')).toMatchObject({
      text: 'Horário de funcionamento\nProibido estacionar\nNão há ligação amanhã',
    });
  });
});
