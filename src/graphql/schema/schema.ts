import { isObjectType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './access/me.ts';
import './records/image.ts';
import './records/video.ts';
import './analysis/image-analysis.ts';
import './records/node.ts';
import './records/history.ts';
import './records/purge.ts';
import './records/collection.ts';
import './search/match.ts';
import './search/explanation.ts';
import './search/catalog-fields.ts';
import './search/formula-completions.ts';
import './search/facet-values.ts';
import './search/saved-formula.ts';
import './search/matches.ts';
import './duplicates/verdict.ts';
import './duplicates/duplicate.ts';
import './duplicates/merge.ts';
import './operations/operation.ts';
import './operations/operation-progress.ts';
import './operations/changes.ts';
import './operations/error-counts.ts';
import './analysis/tag-image.ts';
import './search/query-image.ts';
import './records/uploaded-file.ts';
import './records/export.ts';
import './records/analyzed.ts';
import './analysis/analyze-records.ts';
import './analysis/video-analysis.ts';
import './analysis/shared-results.ts';
import './analysis/proposals.ts';
import './access/api-key.ts';
import './access/audit.ts';
import './administration/webhook.ts';
import './administration/webhook-writes.ts';
import './administration/tenant-state.ts';
import './administration/service-state.ts';
import './administration/caption-rules.ts';
import { guardRootFields } from './root-fields.ts';

/** The schema. `npm run generate` prints it to schema.graphql, which a test compares. */
export const schema = guardRootFields(withPlainProperties(builder.toSchema()));

/**
 * Removes the resolvers of fields that only read a property of the same name. The default resolver does the same, and the
 * compiled executor turns it into a property read: a page of 1000 images has 31 000.
 */
function withPlainProperties(built: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.extensions['pothosExposedField'] === field.name) delete field.resolve;
    }
  }
  return built;
}
