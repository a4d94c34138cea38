import { verdictNames } from './contract.ts';
import type { Input, ServedEndpoint } from './endpoint.ts';
import { valueAt } from './answers.ts';
import { objectOf, oneOf, string } from './types.ts';
import type { ReadObject } from '../compat/values.ts';
import { flag, limit, page, pathId } from './parameters.ts';
import { found, toInt32 } from './replies.ts';

const pair = [
  pathId('first_id', 'Identifier of an image.', 'first', { read: 'airplane', written: 'example-1' }),
  pathId('second_id', 'Identifier of another image.', 'second', { read: 'lily-leek', written: 'example-2' }),
];
const dryRun = flag('dry_run', 'Store nothing; the reply is that of the write.');
const toPair = ({ values }: Input) => ({
  first: values['first_id'],
  second: values['second_id'],
  dryRun: values['dry_run'],
});

/** Verdicts of people on pairs of images. */
export const verdictEndpoints: readonly ServedEndpoint[] = [
  {
    method: 'GET',
    path: '/verdicts',
    summary: 'List verdicts on pairs of images, newest first',
    scope: 'imgs:read',
    document: 'list-verdicts',
    answers: [valueAt(200, 'A page of verdicts, newest first.', 'verdicts')],
    parameters: [
      { name: 'image_id', in: 'query', type: string, default: null, description: 'Only pairs with this image.' },
      {
        name: 'verdict',
        in: 'query',
        type: oneOf('Verdict', verdictNames),
        default: null,
        description: 'Only pairs with this verdict.',
      },
      page,
      limit(1000),
    ],
    variables: ({ values }) => ({
      imageId: values['image_id'],
      verdict: values['verdict'],
      page: toInt32(values['page']),
      limit: values['limit'],
    }),
    reply: (data) => ({ status: 200, body: data['verdicts'] }),
  },
  {
    method: 'PUT',
    path: '/verdicts/{first_id}/{second_id}',
    summary: 'Set the verdict on two images: same, variant or different',
    scope: 'dups:write',
    document: 'give-verdict',
    answers: [valueAt(200, 'The stored verdict.', 'verdict')],
    parameters: [...pair, dryRun],
    body: {
      kind: 'json',
      name: 'VerdictWrite',
      type: objectOf([
        {
          name: 'verdict',
          type: oneOf('Verdict', verdictNames),
          required: true,
          description: 'The verdict on the two images.',
        },
      ]),
      description: 'The new verdict; it replaces an earlier one.',
    },
    variables: (input) => ({ ...toPair(input), verdict: (input.body as ReadObject).values['verdict'] }),
    reply: (data) => found(data, 'verdict', 'Image not found'),
  },
  {
    method: 'DELETE',
    path: '/verdicts/{first_id}/{second_id}',
    summary: 'Withdraw a verdict',
    scope: 'dups:write',
    document: 'withdraw-verdict',
    answers: [valueAt(200, 'The withdrawn verdict.', 'verdict')],
    parameters: [...pair, dryRun],
    variables: toPair,
    reply: (data) => found(data, 'verdict', 'Verdict not found'),
  },
];
