import fc from 'fast-check';
import type { BodyField } from '../../../rest/endpoints/types.ts';
import { oddText } from './texts.ts';

/** Forms, multipart and urlencoded, down to how their parts are written. */

type SentForm = { body: Buffer; headers: [string, string][] };
type Part = Readonly<{ head: string; content: string }>;

/** `mode` is a closed list here, and the files are no pictures: what follows the checks of the form is not compared. */
const textOf = ({ name, type }: BodyField): fc.Arbitrary<string> => {
  if (name === 'mode') return fc.constantFrom('editorial', '');
  if (name === 'image_url') return fc.constantFrom('', 'http://127.0.0.1:1/a.png', 'x', ' ');
  return type.kind === 'file' ? fc.constantFrom('', 'text', ' ') : oddText(type);
};

const fileNames = fc.constantFrom(
  'a.png',
  '',
  'a b.png',
  'é.png',
  'C:\\x\\a.png',
  'a"b',
  'a;b',
  '%22',
  '\\"',
  '/etc/passwd',
);
const contents = fc.constantFrom('', 'x', 'GIF89a', '--', '\r\n', '\r\n--b', 'a\r\nb', '--b\r\n', '\r\n--B--');

function partOf(field: BodyField): fc.Arbitrary<Part> {
  const quoted = (name: string) => name.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  const text = fc.tuple(textOf(field), fc.nat(20)).map(([content, shape]) => ({
    head:
      shape === 0
        ? `content-disposition: form-data; NAME=${field.name}`
        : shape === 1
          ? `Content-Disposition: form-data; name="other"; name="${field.name}"`
          : `Content-Disposition: form-data; name="${field.name}"${shape === 2 ? '\r\nContent-Type: text/plain; charset=utf-8' : ''}`,
    content: content.toWellFormed(),
  }));
  const file = fc.tuple(fileNames, contents).map(([name, content]) => ({
    head: `Content-Disposition: form-data; name="${field.name}"; filename="${quoted(name)}"\r\nContent-Type: image/png`,
    content,
  }));
  const isFile = field.type.kind === 'file';
  if (field.name === 'mode') return text;
  return fc.oneof({ weight: isFile ? 1 : 30, arbitrary: text }, { weight: isFile ? 6 : 1, arbitrary: file });
}

const strangeParts: fc.Arbitrary<Part> = fc.constantFrom(
  { head: 'Content-Disposition: form-data', content: 'no name' },
  { head: 'Content-Disposition: form-data; name=""', content: 'x' },
  { head: 'Content-Type: text/plain', content: 'x' },
  { head: 'Content-Disposition: attachment; name="image_url"', content: 'http://127.0.0.1:1/' },
  { head: 'Content-Disposition: form-data; name="unknown"; filename="x"', content: 'x' },
  { head: "Content-Disposition: form-data; name*=UTF-8''image_url", content: 'x' },
  {
    head: 'X: 1\r\nX: 2\r\nX: 3\r\nX: 4\r\nX: 5\r\nX: 6\r\nX: 7\r\nX: 8\r\nContent-Disposition: form-data; name="city"',
    content: 'x',
  },
  { head: 'Bad Header: 1', content: 'x' },
  { head: `Content-Disposition: form-data; name="${'n'.repeat(5000)}"`, content: 'x' },
);

type Shape = Readonly<{ opening: string; closing: string; cut: number; type: string }>;

const shapes: fc.Arbitrary<Shape> = fc.record({
  opening: fc.oneof(
    { weight: 30, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.constantFrom('\r\n', '\n\n', 'preamble\r\n', '\r\nx\r\n') },
  ),
  closing: fc.oneof(
    { weight: 30, arbitrary: fc.constant('--\r\n') },
    { weight: 1, arbitrary: fc.constantFrom('--', '--\r\nepilogue', '', '\r\n', '-', '-- ', ' --\r\n', '\n', '--\n') },
  ),
  cut: fc.oneof({ weight: 20, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(80) }),
  type: fc.oneof(
    { weight: 40, arbitrary: fc.constant('multipart/form-data; boundary=b') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        'multipart/form-data; boundary="b"',
        'Multipart/Form-Data; BOUNDARY=b',
        'multipart/form-data;boundary=b;charset=latin-1',
        'multipart/form-data; charset=utf-16; boundary=b',
        'multipart/form-data',
        'multipart/form-data; boundary=',
        'multipart/form-data; boundary=c',
        'multipart/form-data; boundary= b',
        'multipart/mixed; boundary=b',
        'application/json',
        'multipart/form-data, boundary=b',
        'text/plain',
        'multipart/form-data; boundary=a; boundary=b',
        'multipart/form-data; charset=nonsense; boundary=b',
        `multipart/form-data; boundary=${'b'.repeat(300)}`,
      ),
    },
  ),
});

function multipart(parts: readonly Part[], { opening, closing, cut, type }: Shape): SentForm {
  const text = parts.map(({ head, content }) => `--b\r\n${head}\r\n\r\n${content}\r\n`).join('');
  const whole = Buffer.from(`${opening}${text}--b${closing}`);
  return { body: whole.subarray(0, whole.length - Math.min(cut, whole.length)), headers: [['Content-Type', type]] };
}

function urlencoded(pairs: readonly (readonly [string, string])[], odd: string): SentForm {
  const text = pairs.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed()).replaceAll('%20', '+')}`,
  );
  return {
    body: Buffer.from([...text, odd].filter((each) => each !== '').join('&')),
    headers: [['Content-Type', 'application/x-www-form-urlencoded']],
  };
}

/** Forms for the fields of an endpoint. */
export function oddForm(fields: readonly BodyField[]): fc.Arbitrary<SentForm> {
  const chosen = fc
    .subarray([...fields], { maxLength: Math.min(5, fields.length) })
    .chain((some) => fc.shuffledSubarray([...some, ...some.slice(0, 1)], { minLength: some.length }));
  const parts = chosen.chain((some) => fc.tuple(...some.map(partOf)));
  const strange = fc.oneof(
    { weight: 15, arbitrary: fc.constant<Part[]>([]) },
    { weight: 1, arbitrary: strangeParts.map((part) => [part]) },
  );
  const whole = fc.tuple(parts, strange, shapes).map(([some, odd, shape]) => multipart([...odd, ...some], shape));
  const pairs = chosen.chain((some) =>
    fc.tuple(...some.map((field) => textOf(field).map((text): [string, string] => [field.name, text]))),
  );
  const odd = fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '&',
        '=',
        '&&a',
        'caption',
        'caption=%',
        'city=%FF',
        'ocr;ocr=1',
        'colors=1;ocr=1',
        'caption=+1',
        'é=ü',
      ),
    },
  );
  const flat = fc.tuple(pairs, odd).map(([some, more]) => urlencoded(some, more));
  return fc.oneof({ weight: 3, arbitrary: whole }, { weight: 1, arbitrary: flat });
}
