import { z } from 'zod';
import { diskSize } from './config-values.ts';

/** `s3://bucket` or `s3://bucket/folder`. */
const bucket = z.string().regex(/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w!.*'()-]+)*\/?$/, {
  error: 'must be s3://bucket or s3://bucket/folder',
});

/**
 * The variables about stored files; part of the table in config.ts. Those about S3 have the names that other S3
 * clients use.
 */
export const storageVariables = {
  PREVIEWS: {
    schema: z.enum(['lazy', 'eager', 'off']).default('lazy'),
    meaning: 'Previews are made on request, right after storing (`eager`), or not at all (`off`)',
  },
  PREVIEW_CACHE: {
    schema: diskSize.prefault('10GiB'),
    meaning: 'Largest size of `DATA_DIR/previews`; the least recently used are deleted first',
  },
  PREVIEW_STORE: {
    schema: bucket.optional(),
    meaning: 'Bucket of previews, `s3://bucket/folder`, instead of `DATA_DIR/previews`',
  },
  UPLOAD_STORE: {
    schema: bucket.optional(),
    meaning: 'Bucket of uploaded files, `s3://bucket/folder`, instead of `DATA_DIR/uploads`',
  },
  AWS_ENDPOINT_URL: {
    schema: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
    meaning: 'Address of an S3-compatible service other than AWS; buckets are folders of it',
  },
  AWS_REGION: { schema: z.string().default('us-east-1'), meaning: 'Region of the buckets' },
  AWS_ACCESS_KEY_ID: { schema: z.string().optional(), meaning: 'Access key for the buckets' },
  AWS_SECRET_ACCESS_KEY: { schema: z.string().optional(), meaning: 'Secret of that key' },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof storageVariables]: z.output<(typeof storageVariables)[N]['schema']> };

/** A folder in a bucket of an S3-compatible service, and the credentials to use it. */
export type BucketConfig = Readonly<{
  /** URL of the folder, with a trailing slash. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}>;

/** Where previews are stored: in a bucket, or in a folder of limited size. */
export type PreviewConfig = Readonly<{
  /** Whether some are made right after storing. */
  isEager: boolean;
  bucket: BucketConfig | null;
  cacheBytes: number;
}>;

const storeNames = ['PREVIEW_STORE', 'UPLOAD_STORE'] as const;
const keyNames = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** Reports what is missing for the configured buckets. */
export function storageFaults(values: Readonly<Record<string, unknown>>): string[] {
  const missing = keyNames.filter((name) => values[name] === undefined);
  if (missing.length === 0) return [];
  return storeNames
    .filter((name) => values[name] !== undefined)
    .map((name) => `${name}: needs ${missing.join(' and ')}`);
}

/** The configuration of previews; null if none are made. */
export function toPreviewConfig(values: Values): PreviewConfig | null {
  if (values.PREVIEWS === 'off') return null;
  const isEager = values.PREVIEWS === 'eager';
  return { isEager, bucket: bucketOf(values.PREVIEW_STORE, values), cacheBytes: values.PREVIEW_CACHE };
}

/** The bucket of uploaded files; null if they are in a folder. */
export function toUploadBucket(values: Values): BucketConfig | null {
  return bucketOf(values.UPLOAD_STORE, values);
}

function bucketOf(store: string | undefined, values: Values): BucketConfig | null {
  if (store === undefined) return null;
  const [name = '', ...folders] = store.slice('s3://'.length).split('/').filter(Boolean);
  const { AWS_ENDPOINT_URL: endpoint, AWS_REGION: region } = values;
  const base =
    endpoint === undefined ? `https://${name}.s3.${region}.amazonaws.com` : `${endpoint.replace(/\/+$/, '')}/${name}`;
  return {
    url: `${[base, ...folders].join('/')}/`,
    region,
    accessKeyId: values.AWS_ACCESS_KEY_ID ?? '',
    secretAccessKey: values.AWS_SECRET_ACCESS_KEY ?? '',
  };
}
