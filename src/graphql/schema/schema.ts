import { isObjectType } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './me.ts';
import './image.ts';
import './video.ts';
import './image-analysis.ts';
import './match.ts';
import './explanation.ts';
import './formula-completions.ts';
import './facet-values.ts';
import './saved-formula.ts';
import './verdict.ts';
import './duplicate.ts';
import './operation.ts';
import './operation-progress.ts';
import './tag-image.ts';
import './query-image.ts';
import './analyze-records.ts';
import './video-analysis.ts';
import './api-key.ts';
import './audit.ts';
import { guardRootFields } from './root-fields.ts';

/** The schema. `npm run generate` prints it to schema.graphql, which a test compares. */
export const schema = guardRootFields(withPlainProperties(builder.toSchema()));

/**
 * Takes the resolvers off fields that only read a property of the same name. The default does the
 * same, and the compiled executor turns it into a property read: a page of 1000 images has 31 000.
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
