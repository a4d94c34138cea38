import { giveVerdict, listVerdicts, verdicts, withdrawVerdict } from '../../../similarity/index.ts';
import type { PairVerdict } from '../../../similarity/index.ts';
import { builder } from '../builder.ts';
import { actorOf, tenantOf, viewerOf } from '../context.ts';
import { pagesOf } from '../pages.ts';

const VerdictEnum = builder.enumType('Verdict', {
  description:
    'What a person says of two images, whatever measures say: `same` always match each other, a `variant` matches by ' +
    '`i=` only, `different` never match.',
  values: verdicts,
});

const PairVerdictRef = builder.objectRef<PairVerdict>('PairVerdict').implement({
  description: 'What was said of two images. A pair has one verdict, whichever is named first.',
  fields: (t) => ({
    firstId: t.exposeID('firstId', { description: 'Id of the image that was stored first.' }),
    secondId: t.exposeID('secondId', { description: 'Id of the other.' }),
    verdict: t.expose('verdict', { type: VerdictEnum, description: 'What was said.' }),
    saidBy: t.exposeString('saidBy', {
      nullable: true,
      description: 'Name of the key that said it; null is the command line.',
    }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: true,
      description: 'What that key is recognized by, as in `ApiKey.prefix`.',
    }),
    saidAt: t.expose('saidAt', { type: 'DateTime', description: 'When it was said last.' }),
  }),
});

type Page = Awaited<ReturnType<typeof listVerdicts>>;

const PairVerdictPage = builder.objectRef<Page>('PairVerdictPage').implement({
  description: 'A page of verdicts, the newest first.',
  fields: (t) => ({
    results: t.expose('results', { type: [PairVerdictRef], description: 'The verdicts of this page.' }),
    count: t.int({ description: 'How many there are in all.', resolve: ({ count }) => count() }),
  }),
});

const pages = pagesOf('Verdicts');

builder.queryField('pairVerdicts', (t) =>
  t.field({
    type: PairVerdictPage,
    description: 'What was said of pairs of images, the newest first.',
    args: {
      imageId: t.arg.id({ description: 'Only of this image and others.' }),
      verdict: t.arg({ type: VerdictEnum, description: 'Only this verdict.' }),
      ...pages.args,
    },
    authScopes: { scope: 'imgs:read' },
    resolve: (_root, { imageId, verdict, ...page }, context) => {
      pages.check(page);
      return listVerdicts(tenantOf(context), { imageId: imageId ?? null, verdict: verdict ?? null }, page);
    },
  }),
);

builder.mutationFields((t) => ({
  judgePair: t.field({
    type: PairVerdictRef,
    nullable: true,
    description:
      'Says what two images are to each other, in place of what was said before. Searches, searches for duplicates ' +
      'and writes that come later honor it, until one of the images gets another file. Null when there is no such image.',
    args: {
      first: t.arg.id({ required: true, description: 'Id of an image.' }),
      second: t.arg.id({ required: true, description: 'Id of another.' }),
      verdict: t.arg({ type: VerdictEnum, required: true, description: 'What is said.' }),
    },
    authScopes: { scope: 'dups:write' },
    resolve: (_root, pair, context) => {
      const judge = { ...actorOf(context), keyName: viewerOf(context).keyName };
      return giveVerdict(tenantOf(context), judge, pair);
    },
  }),
  withdrawVerdict: t.field({
    type: PairVerdictRef,
    nullable: true,
    description: 'Takes back what was said of two images. Null when nothing was.',
    args: {
      first: t.arg.id({ required: true, description: 'Id of an image.' }),
      second: t.arg.id({ required: true, description: 'Id of another.' }),
    },
    authScopes: { scope: 'dups:write' },
    resolve: (_root, pair, context) => withdrawVerdict(tenantOf(context), actorOf(context), pair),
  }),
}));
