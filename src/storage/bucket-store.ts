import { AwsClient } from 'aws4fetch';
import type { BucketConfig } from '../config/storage-config.ts';
import type { FileStore, StoreOptions } from './store.ts';

/** Retries per request; the delay between them starts at 50 ms and grows. */
const retries = 2;
/** No file that we store is this large. */
const maxBytes = 32 * 2 ** 20;

/**
 * Stores files in a bucket of an S3-compatible service; requests are signed with AWS Signature Version 4. A lifecycle
 * rule of the bucket decides how long files are kept.
 */
export function openBucketStore(
  { url, region, accessKeyId, secretAccessKey }: BucketConfig,
  { timeoutMs = 10_000 }: StoreOptions = {},
): FileStore {
  const client = new AwsClient({ service: 's3', region, accessKeyId, secretAccessKey, retries });
  const request = (name: string, init: RequestInit) =>
    client.fetch(url + name, { ...init, signal: AbortSignal.timeout(timeoutMs) });

  return {
    async read(name, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end - 1}` };
      const response = await request(name, { method: 'GET', ...(headers && { headers }) });
      if (!response.ok) {
        const code = await codeOf(response);
        // A missing bucket is also a 404.
        if (response.status === 404 && code !== 'NoSuchBucket') return null;
        throw toError(response, code);
      }
      if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
        await response.body?.cancel();
        throw new Error(`the file ${name} of the bucket is too large`);
      }
      return Buffer.from(await response.arrayBuffer());
    },
    async write(name, bytes) {
      const whole = Buffer.isBuffer(bytes) ? bytes : Buffer.concat(bytes);
      const response = await request(name, { method: 'PUT', body: new Uint8Array(whole) });
      if (!response.ok) throw toError(response, await codeOf(response));
      await response.body?.cancel();
    },
    async remove(name) {
      const response = await request(name, { method: 'DELETE' });
      if (!response.ok && response.status !== 404) throw toError(response, await codeOf(response));
      await response.body?.cancel();
    },
    close: () => Promise.resolve(),
  };
}

function toError({ status }: Response, code: string): Error {
  return new Error(`the bucket answers ${status} ${code}`.trimEnd());
}

/** The error code in the XML of an error response, such as `SignatureDoesNotMatch`. */
async function codeOf(response: Response): Promise<string> {
  return /<Code>(\w+)<\/Code>/.exec(await response.text())?.[1] ?? '';
}
