import type { Resource } from '../../../catalog/index.ts';
import { onDuplicates } from '../../../operations/index.ts';
import { builder } from '../builder.ts';

const OnDuplicateEnum = builder.enumType('OnDuplicate', {
  description:
    'What is done with an image that shows the same picture (`i==`) as one that is there, or as an earlier one of the ' +
    'batch: `keep` it, `flag` it by `duplicateOf`, or `reject` it with `duplicate_image`.',
  values: onDuplicates,
});

const ruleArgs = builder.args((t) => ({
  onDuplicate: t.field({
    type: OnDuplicateEnum,
    description: "What is done with pictures that are there already; the tenant's rule without it.",
  }),
}));

/** Arguments of writes that bring pictures: videos are not compared. They have one type either way, or each caller needed two. */
export function ruleArgsOf(resource: Resource): typeof ruleArgs {
  return (resource === 'image' ? ruleArgs : {}) as typeof ruleArgs;
}
