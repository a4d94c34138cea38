import { captionLimits, findCaptionRules, setCaptionRules } from '../../../tenants/index.ts';
import type { CaptionRules } from '../../../lib/caption-rules.ts';
import { builder } from '../builder.ts';
import { actorOf, tenantOf } from '../context.ts';
import { dryRunArgs, writeFor } from '../dry-run.ts';

const CaptionRulesObject = builder.objectRef<CaptionRules>('CaptionRules').implement({
  description: "The tenant's rules for captions that models write.",
  fields: (t) => ({
    style: t.exposeString('style', { nullable: true, description: 'House style for language models.' }),
    langs: t.exposeStringList('langs', {
      description: 'Languages to ask language models for; empty for all five.',
    }),
    words: t.exposeInt('words', {
      nullable: true,
      description: 'Maximum number of words in a caption; null for no limit.',
    }),
    forbidden: t.exposeStringList('forbidden', {
      description: 'Words and phrases that no generated caption may contain, including those of the built-in analyzer.',
    }),
  }),
});

builder.queryField('captionRules', (t) =>
  t.field({
    type: CaptionRulesObject,
    description: "The tenant's rules for captions that models write.",
    authScopes: { scope: 'tenant:read' },
    resolve: (_root, _args, context) => findCaptionRules(tenantOf(context)),
  }),
);

builder.mutationField('setCaptionRules', (t) =>
  t.field({
    type: CaptionRulesObject,
    description:
      "Changes the tenant's rules for later model captions. Omitted rules stay; null (style, number) or an empty list removes a rule.",
    args: {
      style: t.arg.string({ description: `House style, up to ${captionLimits.style} characters.` }),
      langs: t.arg.stringList({ description: 'Some of en, es, pt, fr and ru.' }),
      words: t.arg.int({
        description: `Maximum number of words in a caption, from ${captionLimits.leastWords} to ${captionLimits.words}.`,
      }),
      forbidden: t.arg.stringList({
        description: `Up to ${captionLimits.forbidden} words or phrases of up to ${captionLimits.word} characters.`,
      }),
      ...dryRunArgs,
    },
    authScopes: { scope: 'tenant:write' },
    resolve: (_root, { dryRun, ...asked }, context) =>
      writeFor(context, dryRun, (db) => setCaptionRules(db, asked, actorOf(context))),
  }),
);
