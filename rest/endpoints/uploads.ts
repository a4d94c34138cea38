import { valueAt } from './answers.ts';
import type { Endpoint } from './endpoint.ts';
import type { StreamedFile } from '../compat/streamed-file.ts';
import { file, string } from './types.ts';

/** Endpoints that take files as sources of records. The tus protocol at the same path is not part of this API. */
export const uploadEndpoints: readonly Endpoint[] = [
  {
    method: 'POST',
    path: '/uploads',
    summary: 'Upload a source file',
    scope: 'uploads:write',
    parameters: [
      {
        name: 'name',
        in: 'query',
        type: string,
        description: 'Name of the file, if the body is the file itself.',
        examples: { 'a name': 'boats.jpg' },
      },
    ],
    body: {
      kind: 'form',
      streamed: 'file',
      fields: [{ name: 'file', type: file, required: true, description: 'Picture or video.' }],
      description: 'One file. A body of any other type is the file itself.',
    },
    document: 'upload-source',
    answers: [valueAt(201, 'Its `src_path` for writes, and when it expires unless a write uses it.', 'upload')],
    variables: ({ body, values }) => {
      const { file: sent } = body as Readonly<{ file: StreamedFile }>;
      return { file: values['name'] === undefined ? sent : { ...sent, name: values['name'] } };
    },
    reply: ({ upload }) => ({ status: 201, body: upload }),
  },
];
