import { giveVerdict, listVerdicts, verdicts, withdrawVerdict } from '../../../similarity/index.ts';
import type { PairVerdict } from '../../../similarity/index.ts';
import { builder } from '../builder.ts';
import { actorOf, tenantOf, viewerOf } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';
import { pagesOf, pageType } from '../pages.ts';

const VerdictEnum = builder.enumType('Verdict', {
  description:
    'The verdict of a person on two images. It overrides measurements: `same` always match each other, a `variant` matches by ' +
    '`i=` only, `different` never match.',
  values: verdicts,
});

export const PairVerdictRef = builder.objectRef<PairVerdict>('PairVerdict').implement({
  description: 'The verdict on two images. A pair has one verdict, in either order.',
  fields: (t) => ({
    firstId: t.exposeID('firstId', { description: 'Id of the image that was stored first.' }),
    secondId: t.exposeID('secondId', { description: 'Id of the other.' }),
    verdict: t.expose('verdict', { type: VerdictEnum, description: 'The verdict.' }),
    saidBy: t.exposeString('saidBy', {
      nullable: true,
      description: 'Name of the key that gave it; null for the command line.',
    }),
    keyPrefix: t.exposeString('keyPrefix', {
      nullable: true,
      description: 'Prefix of the key, as in `ApiKey.prefix`.',
    }),
    saidAt: t.expose('saidAt', { type: 'DateTime', description: 'When it was last given.' }),
  }),
});

const PairVerdictPage = pageType(PairVerdictRef, {
  name: 'PairVerdictPage',
  description: 'A page of verdicts, the newest first.',
  results: 'The verdicts of this page.',
});

const pages = pagesOf('Verdicts');

builder.queryField('pairVerdicts', (t) =>
  t.field({
    type: PairVerdictPage,
    description: 'Verdicts on pairs of images, newest first.',
    args: {
      imageId: t.arg.id({ description: 'Only pairs with this image.' }),
      verdict: t.arg({ type: VerdictEnum, description: 'Only pairs with this verdict.' }),
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
      'Gives the verdict on two images, replacing an earlier one. Searches, searches for duplicates ' +
      'and later writes respect it until one of the images gets another file. Null if there is no such image.',
    args: {
      first: t.arg.id({ required: true, description: 'Id of an image.' }),
      second: t.arg.id({ required: true, description: 'Id of another image.' }),
      verdict: t.arg({ type: VerdictEnum, required: true, description: 'The verdict.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'dups:write' },
    resolve: (_root, { dryRun, ...pair }, context) => {
      const judge = { ...actorOf(context), keyName: viewerOf(context).keyName };
      return writeFor(context, dryRun, (db) => giveVerdict(db, judge, pair));
    },
  }),
  withdrawVerdict: t.field({
    type: PairVerdictRef,
    nullable: true,
    description: 'Withdraws the verdict on two images. Null if there is none.',
    args: {
      first: t.arg.id({ required: true, description: 'Id of an image.' }),
      second: t.arg.id({ required: true, description: 'Id of another image.' }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'dups:write' },
    resolve: (_root, { dryRun, ...pair }, context) =>
      writeFor(context, dryRun, (db) => withdrawVerdict(db, actorOf(context), pair)),
  }),
}));
