import { aiStatuses } from '../../../catalog/index.ts';
import { builder } from '../builder.ts';

export const AiStatusEnum = builder.enumType('AiStatus', {
  description:
    'State of the analysis of a picture: not done yet, done, failed at least in part, or done by another version.',
  values: aiStatuses,
});
