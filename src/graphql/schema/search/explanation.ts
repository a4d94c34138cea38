import {
  clauseKinds,
  backendReasons,
  explainFormula,
  resolveSimilarity,
  locales,
  warningCodes,
} from '../../../search/index.ts';
import type { Explanation, Suggestion, Warning } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf, viewerOf } from '../context.ts';
import { SearchLanguage } from './list-arguments.ts';
import { callerOf } from './search-query.ts';

export const SearchedResource = builder.enumType('SearchedResource', {
  description: 'What a formula is asked of.',
  values: ['image', 'video'] as const,
});

const ExplanationLanguage = builder.enumType('ExplanationLanguage', {
  description: 'Language of the sentences of an explanation.',
  values: locales,
});

const ClauseKind = builder.enumType('ClauseKind', {
  description: 'A term, or how a clause combines those below it.',
  values: clauseKinds,
});

const WarningCode = builder.enumType('FormulaWarningCode', {
  description: 'What a warning about a formula says.',
  values: warningCodes,
});

const ClauseRef = builder.objectRef<Explanation['clauses'][number]>('FormulaClause').implement({
  description: 'A part of a formula.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Its number: 0 is the whole, and each clause stands before its parts.' }),
    parent: t.exposeInt('parent', { nullable: true, description: 'The clause that it is a part of.' }),
    kind: t.expose('kind', { type: ClauseKind, description: 'What it is.' }),
    text: t.exposeString('text', { description: 'It in canonical form.' }),
    sentence: t.exposeString('sentence', { description: 'What it asks for.' }),
    position: t.int({ description: 'Code points before it.', resolve: ({ span }) => span.start }),
    length: t.int({ description: 'Its code points.', resolve: ({ span }) => span.end - span.start }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'How many records answer it alone; null where they were not counted.',
    }),
  }),
});

const EmptiedRef = builder.objectRef<NonNullable<Explanation['emptied']>>('EmptyingClause').implement({
  description: 'The clause that leaves nothing of a result.',
  fields: (t) => ({
    clause: t.exposeInt('clause', { description: 'Its number.' }),
    countWithout: t.exposeInt('countWithout', { description: 'How many records would be found without it.' }),
  }),
});

const WarningRef = builder.objectRef<Warning>('FormulaWarning').implement({
  description: 'Something in a formula that is allowed but hardly meant.',
  fields: (t) => ({
    code: t.expose('code', { type: WarningCode, description: 'What it is.' }),
    message: t.exposeString('message', { description: 'It in words.' }),
    position: t.int({ description: 'Code points before the place.', resolve: ({ span }) => span.start }),
    length: t.int({ description: 'Code points of the place.', resolve: ({ span }) => span.end - span.start }),
  }),
});

const CorrectionRef = builder.objectRef<Explanation['corrections'][number]>('WordCorrection').implement({
  description: 'A word that no record holds, and what it was taken for.',
  fields: (t) => ({
    word: t.exposeString('word', { description: 'The word.' }),
    meanings: t.expose('meanings', { type: ['String'], description: 'Words of the catalog that are close to it.' }),
  }),
});

const SuggestionRef = builder.objectRef<Suggestion>('FormulaSuggestion').implement({
  description: 'A formula close to one that finds nothing, which finds something.',
  fields: (t) => ({
    formula: t.exposeString('formula', { description: 'The formula.' }),
    count: t.exposeInt('count', { description: 'How many records it finds.' }),
  }),
});

const AnswererRef = builder.objectRef<Explanation['answeredBy'][number]>('SearchAnswerer').implement({
  description: 'A part of an answer, and what gives it where a search engine is configured.',
  fields: (t) => ({
    part: t.exposeString('part', { description: 'results or count.' }),
    backend: t.exposeString('backend', { description: 'meilisearch or postgresql.' }),
    engine: t.exposeString('backend', { description: 'The former name.', deprecationReason: 'Use backend.' }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: `Why it is PostgreSQL: ${backendReasons.join(', ')}.`,
    }),
  }),
});

const ExplanationRef = builder.objectRef<Explanation>('FormulaExplanation').implement({
  description: 'What a formula means, and what each part of it finds.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The formula in canonical form, every group in parentheses.' }),
    sentence: t.exposeString('sentence', { description: 'What it asks for.' }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'How many records answer it, exactly; null where they were not counted.',
    }),
    clauses: t.expose('clauses', { type: [ClauseRef], description: 'Its tree: each clause before its parts.' }),
    emptied: t.expose('emptied', {
      type: EmptiedRef,
      nullable: true,
      description: 'Where nothing is found, the clause that makes it so.',
    }),
    suggestions: t.expose('suggestions', {
      type: [SuggestionRef],
      description: 'Where nothing is found, formulas close to it that find something.',
    }),
    warnings: t.expose('warnings', { type: [WarningRef], description: 'What can never match, and the like.' }),
    corrections: t.expose('corrections', { type: [CorrectionRef], description: 'Mistyped words that were corrected.' }),
    answeredBy: t.expose('answeredBy', {
      type: [AnswererRef],
      description: 'What would answer a list of the best and its count; nothing where no search engine is configured.',
    }),
  }),
});

builder.queryField('explainFormula', (t) =>
  t.field({
    type: ExplanationRef,
    description: 'Takes a formula apart: what it says, what each clause finds, and which one leaves nothing.',
    args: {
      q: t.arg.string({ required: true, description: 'The search formula.' }),
      lang: t.arg({ type: SearchLanguage, description: 'Language of its words, `ml` without one.' }),
      resource: t.arg({
        type: SearchedResource,
        defaultValue: 'image',
        required: true,
        description: 'What it is asked of; videos take the right to read them.',
      }),
      language: t.arg({
        type: ExplanationLanguage,
        defaultValue: 'en',
        required: true,
        description: 'Language of the sentences.',
      }),
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { q, lang, resource, language: locale }, context) => {
      if (resource === 'video') requireScope(context, 'vids:read');
      const { searchVerify: mayVerify, timeZone } = viewerOf(context);
      const { meilisearch } = context.services;
      const options = { resource, lang: lang ?? 'ml', mayVerify, timeZone, locale, meilisearch };
      const db = tenantOf(context);
      return explainFormula(db, q, options, (searchQuery) =>
        resolveSimilarity(db, q, searchQuery, context.services, callerOf(context)),
      );
    },
  }),
);
