import { findAnalysis, findVideoAnalysis } from '../../../catalog/index.ts';
import type { RecordRow, Resource } from '../../../catalog/index.ts';
import { proposalsOf } from '../../../operations/index.ts';
import type { Proposal } from '../../../operations/index.ts';
import { builder } from '../builder.ts';
import { tenantOf } from '../context.ts';
import type { Context } from '../context.ts';
import { Image } from '../records/image.ts';
import { Video } from '../records/video.ts';
import { ProvenanceObject } from './image-analysis.ts';

const ProposalObject = builder.objectRef<Proposal>('Proposal').implement({
  description:
    'Values that the analysis proposes for a field and nobody has accepted or refused. Writing the field accepts what ' +
    'is written; `refusedKeywords` and `lockedFields` refuse values.',
  fields: (t) => ({
    field: t.exposeString('field', { description: '`caption`, `description` or `keywords`.' }),
    values: t.exposeStringList('values', { description: 'The values; one, except for lists.' }),
    isFilled: t.exposeBoolean('isFilled', {
      description: 'Whether the record has them, filled in by the analysis; otherwise it lacks them.',
    }),
    provenance: t.field({
      type: ProvenanceObject,
      description: 'Where they come from.',
      resolve: ({ field, provenance }) => ({ field, ...provenance }),
    }),
  }),
});

const find = { image: findAnalysis, video: findVideoAnalysis };

async function proposals(resource: Resource, { reviewed }: RecordRow, context: Context): Promise<Proposal[]> {
  if (reviewed === undefined) return [];
  return proposalsOf(resource, reviewed, await find[resource](tenantOf(context), reviewed.rowId));
}

const description = "Proposed text and keywords, in the record's language; none for a past moment.";

builder.objectFields(Image, (t) => ({
  proposals: t.field({
    type: [ProposalObject],
    description,
    resolve: (row, _args, context) => proposals('image', row, context),
  }),
}));

builder.objectFields(Video, (t) => ({
  proposals: t.field({
    type: [ProposalObject],
    description,
    resolve: (row, _args, context) => proposals('video', row, context),
  }),
}));
