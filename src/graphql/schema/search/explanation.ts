import { locales } from '../../../catalog/index.ts';
import {
  clauseKinds,
  backendReasons,
  explainFormula,
  formerReasonOf,
  resolveSimilarity,
  warningCodes,
} from '../../../search/index.ts';
import type { Explanation, Suggestion, FormulaWarning } from '../../../search/index.ts';
import { builder } from '../builder.ts';
import { requireScope, tenantOf, viewerOf } from '../context.ts';
import { formulaLangArg } from './list-arguments.ts';
import { callerOf } from './search-query.ts';

export const SearchedResource = builder.enumType('SearchedResource', {
  description: 'The records that a formula searches.',
  values: ['image', 'video'] as const,
});

export const searchedResourceArg = builder.args((t) => ({
  resource: t.field({
    type: SearchedResource,
    defaultValue: 'image',
    required: true,
    description: 'The records to search; videos need the scope to read them.',
  }),
}));

export const ExplanationLanguage = builder.enumType('ExplanationLanguage', {
  description: 'Language of an explanation.',
  values: locales,
});

const ClauseKind = builder.enumType('ClauseKind', {
  description: 'A term, or the operator that combines the clauses below.',
  values: clauseKinds,
});

const WarningCode = builder.enumType('FormulaWarningCode', {
  description: 'Code of a warning about a formula.',
  values: warningCodes,
});

const ClauseRef = builder.objectRef<Explanation['clauses'][number]>('FormulaClause').implement({
  description: 'A part of a formula.',
  fields: (t) => ({
    id: t.exposeInt('id', {
      description: 'Its number: 0 is the whole formula, and each clause comes before its parts.',
    }),
    parent: t.exposeInt('parent', { nullable: true, description: 'The parent clause.' }),
    kind: t.expose('kind', { type: ClauseKind, description: 'Kind of the clause.' }),
    text: t.exposeString('text', { description: 'The clause in canonical form.' }),
    sentence: t.exposeString('sentence', { description: 'What it means.' }),
    position: t.int({ description: 'Offset in code points.', resolve: ({ span }) => span.start }),
    length: t.int({ description: 'Length in code points.', resolve: ({ span }) => span.end - span.start }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'Number of records that match it alone; null if not counted.',
    }),
  }),
});

const EmptiedRef = builder.objectRef<NonNullable<Explanation['emptied']>>('EmptyingClause').implement({
  description: 'The clause that makes the result empty.',
  fields: (t) => ({
    clause: t.exposeInt('clause', { description: 'Its number.' }),
    countWithout: t.exposeInt('countWithout', { description: 'Number of results without it.' }),
  }),
});

const WarningRef = builder.objectRef<FormulaWarning>('FormulaWarning').implement({
  description: 'A part of a formula that is allowed but probably a mistake.',
  fields: (t) => ({
    code: t.expose('code', { type: WarningCode, description: 'Code of the warning.' }),
    message: t.exposeString('message', { description: 'Message.' }),
    position: t.int({ description: 'Offset in code points.', resolve: ({ span }) => span.start }),
    length: t.int({ description: 'Length in code points.', resolve: ({ span }) => span.end - span.start }),
  }),
});

const CorrectionRef = builder.objectRef<Explanation['corrections'][number]>('WordCorrection').implement({
  description: 'A word that no record contains, and its correction.',
  fields: (t) => ({
    word: t.exposeString('word', { description: 'The word.' }),
    meanings: t.expose('meanings', { type: ['String'], description: 'Similar words of the catalog.' }),
  }),
});

const SuggestionRef = builder.objectRef<Suggestion>('FormulaSuggestion').implement({
  description: 'A similar formula that has results.',
  fields: (t) => ({
    formula: t.exposeString('formula', { description: 'The formula.' }),
    count: t.exposeInt('count', { description: 'Number of results.' }),
  }),
});

const BackendRef = builder.objectRef<Explanation['answeredBy'][number]>('SearchBackend').implement({
  description: 'A part of an answer and the backend that gives it, if Meilisearch is configured.',
  fields: (t) => ({
    part: t.exposeString('part', { description: 'results or count.' }),
    backend: t.exposeString('backend', { description: 'meilisearch or postgresql.' }),
    engine: t.exposeString('backend', { description: 'The former name.', deprecationReason: 'Use backend.' }),
    fallbackReason: t.exposeString('reason', {
      nullable: true,
      description: `Why PostgreSQL answers: ${backendReasons.join(', ')}.`,
    }),
    reason: t.string({
      nullable: true,
      description: 'The same, but `away` for `unavailable`.',
      deprecationReason: 'Use fallbackReason.',
      resolve: ({ reason }) => reason && formerReasonOf(reason),
    }),
  }),
});

const ExplanationRef = builder.objectRef<Explanation>('FormulaExplanation').implement({
  description: 'The meaning of a formula, and the results of each part.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The formula in canonical form, every group in parentheses.' }),
    sentence: t.exposeString('sentence', { description: 'What it means.' }),
    count: t.exposeInt('count', {
      nullable: true,
      description: 'The exact number of results; null if not counted.',
    }),
    clauses: t.expose('clauses', { type: [ClauseRef], description: 'Its clauses, each before its parts.' }),
    emptied: t.expose('emptied', {
      type: EmptiedRef,
      nullable: true,
      description: 'If nothing is found: the clause that causes it.',
    }),
    suggestions: t.expose('suggestions', {
      type: [SuggestionRef],
      description: 'If nothing is found: similar formulas with results.',
    }),
    warnings: t.expose('warnings', {
      type: [WarningRef],
      description: 'Warnings, for example about clauses that can never match.',
    }),
    corrections: t.expose('corrections', { type: [CorrectionRef], description: 'Mistyped words that were corrected.' }),
    answeredBy: t.expose('answeredBy', {
      type: [BackendRef],
      description: 'The backends that would answer a list and its count; empty if Meilisearch is not configured.',
    }),
  }),
});

builder.queryField('explainFormula', (t) =>
  t.field({
    type: ExplanationRef,
    description:
      'Explains a formula: its meaning, the results of each clause, and the clause that makes the result empty.',
    args: {
      q: t.arg.string({ required: true, description: 'The search formula.' }),
      ...formulaLangArg,
      ...searchedResourceArg,
      language: t.arg({
        type: ExplanationLanguage,
        defaultValue: 'en',
        required: true,
        description: 'Language of the explanation.',
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
        // Each clause is counted separately.
        resolveSimilarity(db, q, searchQuery, context.services, callerOf(context), { byFormula: false }),
      );
    },
  }),
);
