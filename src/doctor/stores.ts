import type { Config } from '../config/config.ts';
import type { BucketConfig } from '../config/storage-config.ts';
import { openStore } from '../storage/index.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

/** Checks the stores of previews and uploaded files. */
export async function findStores({
  previews,
  uploadBucket,
}: Pick<Config, 'previews' | 'uploadBucket'>): Promise<Finding[]> {
  return Promise.all([
    previews === null
      ? ({ subject: 'previews', state: 'note', text: 'off' } as const)
      : findStore('previews', 'PREVIEW_STORE', previews.bucket),
    findStore('uploads', 'UPLOAD_STORE', uploadBucket),
  ]);
}

/** Whether a file can be written to a bucket, read and removed. `DATA_DIR` has its own check. */
async function findStore(subject: string, variable: string, bucket: BucketConfig | null): Promise<Finding> {
  if (bucket === null) return { subject, state: 'note', text: 'kept below DATA_DIR' };
  const where = withoutPassword(bucket.url);
  const store = openStore(bucket, '', {});
  try {
    const written = Buffer.from('Written by vitrine doctor.');
    await store.write('doctor', written);
    const read = await store.read('doctor');
    await store.remove('doctor');
    if (read?.equals(written) === true) return { subject, state: 'ok', text: `kept in ${where}` };
    const text = `${where} does not return what is written to it`;
    return { subject, state: 'fault', text, remedy: `Check ${variable} and AWS_ENDPOINT_URL.` };
  } catch (error) {
    const text = `Cannot keep ${subject} in ${where}: ${reasonOf(error)}`;
    const remedy = `Check ${variable}, AWS_ENDPOINT_URL and the access key; it needs to read, write and remove objects.`;
    return { subject, state: 'fault', text, remedy };
  } finally {
    await store.close();
  }
}
