import type { Resource } from '../../../catalog/index.ts';
import { onDuplicates } from '../../../operations/index.ts';
import { builder } from '../builder.ts';

const OnDuplicateEnum = builder.enumType('OnDuplicate', {
  description:
    'What happens to an image that shows the same picture (`i==`) as an existing one, or as an earlier one of the ' +
    'batch: `keep` it, `flag` it by `duplicateOf`, or `reject` it with `duplicate_image`.',
  values: onDuplicates,
});

const ruleArgs = builder.args((t) => ({
  onDuplicate: t.field({
    type: OnDuplicateEnum,
    description: 'What happens to pictures that already exist; default: the rule of the tenant.',
  }),
}));

/**
 * Arguments of writes that store pictures; videos are not compared. The type is the same for both, because otherwise
 * each caller would need two.
 */
export function ruleArgsOf(resource: Resource): typeof ruleArgs {
  return (resource === 'image' ? ruleArgs : {}) as typeof ruleArgs;
}
