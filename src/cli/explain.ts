import { Option } from 'commander';
import type { Command } from 'commander';
import { locales } from '../catalog/index.ts';
import type { Locale } from '../catalog/index.ts';
import { explainFormula, explanationMessages, openMeilisearch } from '../search/index.ts';
import type { Explanation } from '../search/index.ts';
import { forTenant, getTenant } from '../tenants/index.ts';
import { writeLine, table } from './output.ts';
import { withSession } from './session.ts';

type Options = Readonly<{
  tenant: string;
  lang: 'ml' | 'en' | 'es';
  language: Locale;
  resource: 'image' | 'video';
  json?: boolean;
}>;

export function addExplainCommand(program: Command): void {
  program
    .command('explain <formula>')
    .description('explain a search formula, and count what each part finds')
    .option('--tenant <name>', 'tenant of the records', 'default')
    .addOption(
      new Option('--lang <lang>', 'language of the words in the formula').choices(['ml', 'en', 'es']).default('ml'),
    )
    .addOption(new Option('--language <language>', 'language of the explanation').choices(locales).default('en'))
    .addOption(new Option('--resource <resource>', 'kind of record').choices(['image', 'video']).default('image'))
    .option('--json', 'print JSON')
    .action(explain);
}

async function explain(formula: string, { tenant, language: locale, json, ...options }: Options): Promise<void> {
  const explanation = await withSession(async ({ config, logger, backing: { database, meilisearch: client } }) => {
    const { id, searchVerify: mayVerify, timeZone } = await getTenant(database, tenant);
    const maxLagMs = (config.meili?.maxLagSeconds ?? 0) * 1000;
    const meilisearch = client === null ? undefined : openMeilisearch(client, maxLagMs, logger);
    return explainFormula(forTenant(database, id), formula, { ...options, locale, mayVerify, timeZone, meilisearch });
  });
  const clauses = explanation.clauses.map((clause) => ({ ...clause, condition: undefined }));
  writeLine({ ...explanation, clauses }, { json, text: () => describe(explanation, locale) });
}

function describe(explanation: Explanation, locale: Locale): string {
  const { text, sentence, count, clauses, emptied, warnings, corrections, suggestions, answeredBy } = explanation;
  const say = explanationMessages[locale];
  const depths = new Map<number, number>();
  const rows = clauses.map(({ id, parent, kind, text: own, count: found }) => {
    const depth = parent === null ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(id, depth);
    return [`${'  '.repeat(depth)}${kind === 'term' ? own : kind.toUpperCase()}`, found === null ? '?' : String(found)];
  });
  const empty = clauses.find(({ id }) => id === emptied?.clause);
  const suggested = suggestions.map((each) => `  ${each.formula}  (${say.records(each.count)})`);
  return [
    sentence,
    text === '' ? '' : `\n${text}\n`,
    rows.length === 0 ? say.records(count) : table(say.headings, rows),
    ...(empty && emptied ? [`\n${say.emptied(empty.text, emptied.countWithout)}`] : []),
    ...(suggested.length > 0 ? [[`\n${say.suggested}`, ...suggested].join('\n')] : []),
    ...corrections.map(({ word, meanings }) => `\n${say.corrected(word, meanings.join(', '))}`),
    ...answeredBy.map(({ part, backend, reason }) => `\n${part}: ${backend}${reason === null ? '' : ` (${reason})`}`),
    ...warnings.map(({ message, span }) => `\n${say.warned(message, span.start)}`),
  ]
    .filter((line) => line !== '')
    .join('\n');
}
