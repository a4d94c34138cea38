import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the inference API gets it. */
type Asked = Readonly<{ path: string; headers: IncomingMessage['headers']; body: Buffer; json: any }>;

/** What the server does with the next requests, one for each; then it answers properly again. */
export type Fault = (response: ServerResponse, asked: Asked) => void;

export type InferenceServer = Readonly<{
  /** For HF_ENDPOINT. */
  endpoint: string;
  asked: Asked[];
  faults: Fault[];
  close(): Promise<void>;
}>;

export const status =
  (code: number, body: unknown = { error: 'no' }, headers: Record<string, string> = {}): Fault =>
  (response) =>
    response.writeHead(code, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));

/** A language model that says something else than usual. */
export const says = (content: string | object): Fault =>
  status(200, chatOf('own/vlm', typeof content === 'string' ? content : JSON.stringify(content)));

/** As a model answers that is not in memory yet. */
export const loading: Fault = status(503, { error: 'Model is currently loading', estimated_time: 20 });
export const hang: Fault = () => {};
export const cut: Fault = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' }).write('[{"la');
  setTimeout(() => response.destroy(), 20);
};
export const refuse: Fault = (response) => void response.socket?.destroy();
export const garbage: Fault = (response) =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"label": <html>');
export const html: Fault = (response) =>
  void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>');
export const huge: Fault = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const piece = Buffer.alloc(2 ** 20, 0x20);
  const send = (): void => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', send);
  };
  send();
};

const classes = [
  { label: 'dog', score: 0.81 },
  { label: 'beach', score: 0.14 },
  { label: 'unicorn', score: 0.04 },
];

/** Answers as Hugging Face's inference API does, by the task in the address: /models/{model}?task={task}. */
function answerOf({ path, headers, body, json }: Asked): unknown {
  if (path.includes('/chat/completions')) return answerChat(json);
  const task = new URL(path, 'http://localhost').searchParams.get('task');
  if (task === 'feature-extraction') {
    if (Array.isArray(json.inputs)) return json.inputs.map((text: string) => vector(text.length));
    return json.inputs === 'flat' ? vector() : [vector(json.inputs.length)];
  }
  if (task === 'zero-shot-image-classification') {
    if (Buffer.from(json.inputs.image, 'base64')[0] !== 0xff) return { error: 'no picture' };
    return classes.filter(({ label }) => json.parameters.candidate_labels.includes(label));
  }
  if (headers['content-type'] !== 'image/jpeg' || body[0] !== 0xff) return { error: 'no picture' };
  if (task === 'image-to-text') return { generated_text: 'a dog on a beach ' };
  if (task === 'image-feature-extraction') return [vector()];
  return [
    { label: 'normal', score: 0.97 },
    { label: 'nsfw', score: 0.03 },
  ];
}

/** `shift` distinguishes texts by their lengths. */
const vector = (shift = 5) => Array.from({ length: 16 }, (_, i) => (((i + shift - 5) % 16) - 8) / 16);

function answerChat({ model, messages }: any): unknown {
  const [{ text }, { image_url: picture }] = messages[0].content;
  const isPicture = picture.url.startsWith('data:image/jpeg;base64,/9j/');
  const content = !isPicture
    ? 'I see no picture'
    : text.includes('Copy the text')
      ? 'NO PARKING\n\n24 hours'
      : text.includes('keywords')
        ? '[{"en": "dog", "es": "perro", "fr": "chien"}, {"en": "beach"}]'
        : 'Sure!\n```json\n{"en": "A dog runs.", "es": "Un perro corre.", "ru": "Собака бежит."}\n```';
  return chatOf(model, content);
}

function chatOf(model: string, content: string): unknown {
  return {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 700, completion_tokens: 30, total_tokens: 730 },
  };
}

export async function openInferenceServer(): Promise<InferenceServer> {
  const asked: Asked[] = [];
  const faults: Fault[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces);
      const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
      const json: unknown = isJson ? JSON.parse(body.toString()) : null;
      const one: Asked = { path: request.url ?? '', headers: request.headers, body, json };
      asked.push(one);
      const fault = faults.shift();
      if (fault !== undefined) return fault(response, one);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answerOf(one)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/models/{model}?task={task}`,
    asked,
    faults,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
