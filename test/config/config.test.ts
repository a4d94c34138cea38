import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { packageRoot } from '../../src/lib/package-root.ts';
import { misspelledSettings, readConfig, variables } from '../../src/config/config.ts';
import { SetupError } from '../../src/lib/errors.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines of the fault below its head; a configuration without a fault fails the test. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return error.message.split('\n  ').slice(1);
  }
  throw new Error('there was no fault');
}

describe('the folder of models', () => {
  it('is also read by its former name, unless the new one is given', () => {
    expect(readConfig({ LOCAL_MODELS_DIR: '/former' }).ai.modelsDir).toBe('/former');
    expect(readConfig({ LOCAL_MODELS_DIR: '/former', MODELS_DIR: '/new' }).ai.modelsDir).toBe('/new');
  });
});

describe('a misspelled variable', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['MEDIA_ROOT', 'MEDIA_ROOTS'],
    ['SIMILARTY', 'SIMILARITY'],
    ['log_level', 'LOG_LEVEL'],
    ['HF_TOKEN_FIEL', 'HF_TOKEN_FILE'],
    ['REDIS_URI', 'REDIS_URL'],
  ])('%s is said to be %s', (name, meant) => {
    expect(misspelledSettings({ [name]: 'x' })).toEqual([
      `${name} is not a setting of Vitrine. Did you mean ${meant}?`,
    ]);
  });

  it.each([
    [{ HOME: '/root', PATH: '/bin', LANG: 'C', SHELL: '/bin/sh', TERM: 'xterm', PWD: '/', USER: 'root', POST: '1' }],
    [{ FTP_PROXY: 'p', ftp_proxy: 'p', ALL_PROXY: 'p', https_proxy: 'p', HF_HOME: '/h', MEILI_ENV: 'x', FTP_URL: 'u' }],
    [
      {
        REDIS_PORT: '1',
        DATABASE_USER: 'u',
        DATABASE_NAME: 'n',
        AWS_SESSION_TOKEN: 't',
        SMTP_HOST: 'h',
        BASE_DIR: '/',
      },
    ],
    [{ DATABASE_URI: 'of another program', DATABASE_URL: 'postgres://u@h/d' }],
    [{ DATABSE_URL: ' ' }],
  ])('is none of other programs, nor beside the right one, nor empty: %o', (environment) => {
    expect(misspelledSettings(environment)).toEqual([]);
  });

  it('is said with the faults that follow from it', () => {
    expect(faultsOf({ ROLE: 'worker', DATABSE_URL: 'postgres://u@h/d' })).toEqual([
      expect.stringContaining('needs DATABASE_URL'),
      'DATABSE_URL is not a setting of Vitrine. Did you mean DATABASE_URL?',
    ]);
  });
});

describe('without any variable', () => {
  it('everything has the default of the documentation', () => {
    expect(readConfig({})).toEqual({
      decodeMemory: 640 * 2 ** 20,
      historyDays: 90,
      host: '127.0.0.1',
      port: 4000,
      baseUrl: undefined,
      corsOrigins: [],
      dataDir: resolve('data'),
      databaseUrl: undefined,
      redisUrl: undefined,
      meili: null,
      database: {
        directUrl: undefined,
        readUrls: [],
        isPrepared: true,
        connections: 20,
        statementMs: 30_000,
        migrates: true,
      },
      watch: {
        metricsHost: '127.0.0.1',
        metricsPort: undefined,
        traceEndpoint: undefined,
        serviceName: 'vitrine',
      },
      adminApiKey: undefined,
      role: 'all',
      drainSeconds: 0,
      mediaRoots: [resolve('media'), ...['pictures', 'videos'].map((name) => join(packageRoot, 'examples', name))],
      uploadBucket: null,
      previews: { isEager: false, bucket: null, cacheBytes: 10 * 1024 ** 3 },
      sourceAllow: [],
      email: null,
      workers: availableParallelism(),
      similarity: { mode: 'auto', databaseFrom: 2_000_000 },
      similarityBytes: 2 * 1024 ** 3,
      ai: {
        isOn: true,
        providers: {
          caption: 'builtin',
          keywords: 'builtin',
          ocr: 'builtin',
          embedding: 'builtin',
          nsfw: 'builtin',
          faces: 'builtin',
        },
        named: [],
        models: {},
        fallsBack: false,
        hfToken: undefined,
        hfEndpoint: undefined,
        endpoints: {},
        prices: {},
        modelsDir: resolve('models'),
        usesOnnxRuntime: true,
        modelsMemory: 2 * 1024 ** 3,
        modelsHub: 'https://huggingface.co',
        tessdataDir: undefined,
      },
      logLevel: 'info',
      proxies: { https: undefined, http: undefined, none: [] },
      rates: {},
    });
  });

  it('an empty or blank value is none', () => {
    const blank = Object.fromEntries(Object.keys(variables).map((name, index) => [name, ' '.repeat(index % 3)]));
    expect(readConfig(blank)).toEqual(readConfig({}));
  });

  it('variables of other programs are passed over', () => {
    expect(readConfig({ PATH: '/bin', VITRINE_PORT: '1', port: '2' })).toEqual(readConfig({}));
  });
});

describe('a variable', () => {
  it.each([
    ['HOST', '0.0.0.0', { host: '0.0.0.0' }],
    ['HOST', '::', { host: '::' }],
    ['CORS_ORIGINS', '*', { corsOrigins: ['*'] }],
    [
      'CORS_ORIGINS',
      ' https://Desk.example.com:443, http://localhost:3000 ',
      { corsOrigins: ['https://desk.example.com', 'http://localhost:3000'] },
    ],
    ['PORT', '8080', { port: 8080 }],
    ['PORT', '0', { port: 0 }],
    ['PORT', '65535', { port: 65_535 }],
    ['BASE_URL', 'https://pictures.example.org/api', { baseUrl: 'https://pictures.example.org/api' }],
    ['BASE_URL', 'http://example.org//', { baseUrl: 'http://example.org' }],
    ['DATA_DIR', '/var/lib/vitrine', { dataDir: '/var/lib/vitrine' }],
    ['DATA_DIR', 'relative/../data', { dataDir: resolve('data') }],
    ['DATABASE_URL', 'postgres://u:p@h/d', { databaseUrl: 'postgres://u:p@h/d' }],
    ['DATABASE_URL', 'postgresql:///d?host=/tmp', { databaseUrl: 'postgresql:///d?host=/tmp' }],
    ['DATABASE_URL', 'postgres://u@/d?host=/tmp', { databaseUrl: 'postgres://u@/d?host=/tmp' }],
    ['DATABASE_URL', 'postgres://u@h/d?schema=public', { databaseUrl: 'postgres://u@h/d?schema=public' }],
    ['DATABASE_URL', 'postgres://u:a%2F%23@h/d', { databaseUrl: 'postgres://u:a%2F%23@h/d' }],
    ['ADMIN_API_KEY', 'a'.repeat(16), { adminApiKey: 'a'.repeat(16) }],
    ['REDIS_URL', 'redis://h', { redisUrl: 'redis://h' }],
    ['REDIS_URL', 'rediss://:p@h:6380/2', { redisUrl: 'rediss://:p@h:6380/2' }],
    ['ROLE', 'all', { role: 'all' }],
    ['DRAIN_SECONDS', '15', { drainSeconds: 15 }],
    ['MEDIA_ROOTS', '/a', { mediaRoots: ['/a'] }],
    ['MEDIA_ROOTS', '/a:/b c:d', { mediaRoots: ['/a', '/b c', resolve('d')] }],
    ['MEDIA_ROOTS', '::/a::/b/:', { mediaRoots: ['/a', '/b'] }],
    ['MEDIA_ROOTS', ':', { mediaRoots: [] }],
    ['SOURCE_ALLOW', '10.0.0.0/8', { sourceAllow: ['10.0.0.0/8'] }],
    [
      'SOURCE_ALLOW',
      ' 10.0.0.0/8 ,, fd00::/8,127.0.0.1/32 ',
      { sourceAllow: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1/32'] },
    ],
    ['SOURCE_ALLOW', ',', { sourceAllow: [] }],
    [
      'SMTP_URL',
      'smtp://desk:secret@mail.example.com:587',
      { email: { smtpUrl: 'smtp://desk:secret@mail.example.com:587', from: 'vitrine@localhost' } },
    ],
    ['WORKERS', '1', { workers: 1 }],
    ['WORKERS', '256', { workers: 256 }],
    ['AI_PRICES', 'caption=0.002, ocr=1', { ai: { ...readConfig({}).ai, prices: { caption: 0.002, ocr: 1 } } }],
    ['DECODE_MEMORY', '256MiB', { decodeMemory: 256 * 2 ** 20 }],
    ['SIMILARITY', 'database', { similarity: { mode: 'database', databaseFrom: 2_000_000 } }],
    ['SIMILARITY_DATABASE_FROM', '500000', { similarity: { mode: 'auto', databaseFrom: 500_000 } }],
    ['SIMILARITY_MEMORY', '16MiB', { similarityBytes: 16 * 2 ** 20 }],
    ['SIMILARITY_MEMORY', '1.5 gib', { similarityBytes: 1.5 * 2 ** 30 }],
    ['RATE_LIMIT_READ', '600/min', { rates: { read: { requests: 600, seconds: 60 } } }],
    ['RATE_LIMIT_QUERY_IMAGE', '1/day', { rates: { query_image: { requests: 1, seconds: 86_400 } } }],
    ['DATABASE_PREPARED', 'off', { database: { ...readConfig({}).database, isPrepared: false } }],
    ['DATABASE_TIMEOUT', '120', { database: { ...readConfig({}).database, statementMs: 120_000 } }],
    ['DATABASE_MIGRATE', 'off', { database: { ...readConfig({}).database, migrates: false } }],
    [
      'DATABASE_DIRECT_URL',
      'postgres://h/d',
      { database: { ...readConfig({}).database, directUrl: 'postgres://h/d', isPrepared: false } },
    ],
    [
      'DATABASE_READ_URLS',
      'postgres://h/d, postgres://i/d',
      { database: { ...readConfig({}).database, readUrls: ['postgres://h/d', 'postgres://i/d'] } },
    ],
    ['METRICS_PORT', '9464', { watch: { ...readConfig({}).watch, metricsPort: 9464 } }],
    ['LOG_LEVEL', 'silent', { logLevel: 'silent' }],
  ])('%s may be %s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toEqual({ ...readConfig({}), ...expected });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '4000.5'],
    ['PORT', 'http'],
    ['PORT', '80 81'],
    ['BASE_URL', 'example.org'],
    ['BASE_URL', 'ftp://example.org'],
    ['BASE_URL', 'http:/example.org'],
    ['BASE_URL', 'https://example.org/?tenant=1'],
    ['BASE_URL', 'https://example.org/#top'],
    ['BASE_URL', 'https://u:p@example.org'],
    ['CORS_ORIGINS', 'desk.example.com'],
    ['CORS_ORIGINS', 'https://desk.example.com/'],
    ['CORS_ORIGINS', 'https://desk.example.com https://b.example.com'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'ftp://desk.example.com'],
    ['CORS_ORIGINS', 'null'],
    ['DATABASE_URL', 'mysql://h/d'],
    ['DATABASE_URL', 'h/d'],
    ['DATABASE_URL', 'postgres://u:a#b@h/d'],
    ['DATABASE_URL', 'postgres://u:a/b@h/d'],
    ['DATABASE_DIRECT_URL', 'postgres://u:a#b@h/d'],
    ['DATABASE_DIRECT_URL', 'h/d'],
    ['DATABASE_READ_URLS', 'postgres://h/d,h/d'],
    ['DATABASE_READ_URLS', Array(17).fill('postgres://h/d').join(',')],
    ['DATABASE_CONNECTIONS', '1'],
    ['DATABASE_TIMEOUT', '0'],
    ['DATABASE_MIGRATE', 'yes'],
    ['METRICS_PORT', '0'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'h:4318'],
    ['REDIS_URL', 'http://h'],
    ['REDIS_URL', 'redis://'],
    ['REDIS_URL', 'redis://h:port'],
    ['REDIS_URL', 'redis://h/name'],
    ['DRAIN_SECONDS', '-1'],
    ['DRAIN_SECONDS', '301'],
    ['DRAIN_SECONDS', '1.5'],
    ['MEILI_URL', 'h:7700'],
    ['MEILI_URL', 'http://h:port'],
    ['MEILI_URL', 'http://h:7700,h:7701'],
    ['MEILI_URL', 'http://h:7700,http://key@H:7700/'],
    ['HF_ENDPOINT', 'h'],
    ['ADMIN_API_KEY', 'a'.repeat(15)],
    ['ROLE', 'All'],
    ['ROLE', 'web'],
    ['SOURCE_ALLOW', '10.0.0.1'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_FROM', 'Vitrine <vitrine@example.com>'],
    ['SOURCE_ALLOW', '10.0.0.0/8 192.168.0.0/16'],
    ['SOURCE_ALLOW', '10.0.0.0/33'],
    ['SOURCE_ALLOW', '10.0.0.0/8,localhost'],
    ['SOURCE_ALLOW', 'fd00::/129'],
    ['SOURCE_ALLOW', '10/8'],
    ['SOURCE_ALLOW', '010.0.0.0/8'],
    ['SOURCE_ALLOW', '0x0a000000/8'],
    ['AI_PROVIDER', 'openai'],
    ['AI_PRICES', 'faces=1'],
    ['AI_PRICES', 'caption=-1'],
    ['AI_PRICES', 'caption'],
    ['AI_PRICES', '__proto__=1'],
    ['WORKERS', '0'],
    ['WORKERS', '257'],
    ['WORKERS', 'two'],
    ['SIMILARITY_MEMORY', '4GiB'],
    ['SIMILARITY_MEMORY', '15MiB'],
    ['SIMILARITY_MEMORY', '1000'],
    ['RATE_LIMIT_WRITE', '0/s'],
    ['RATE_LIMIT_WRITE', '600'],
    ['RATE_LIMIT_TAG', '1.5/min'],
    ['RATE_LIMIT_TAG', '5/year'],
    ['LOG_LEVEL', 'verbose'],
  ])('%s must not be %s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([expect.stringMatching(`^${name}: .+`)]);
  });

  it.each([
    ['BASE_URL', 'example.org', 'must start with http:// or https://'],
    ['DATABASE_URL', 'h/d', 'must start with postgres:// or postgresql://'],
    ['REDIS_URL', 'h', 'must start with redis:// or rediss://'],
    ['ADMIN_API_KEY', 'short', 'must have at least 16 characters'],
    [
      'DATABASE_URL',
      'postgres://u:a#b@h/d',
      'is not a valid URL; in a password write @ : / ? # % as %40 %3A %2F %3F %23 %25',
    ],
    [
      'DATABASE_URL',
      'postgres://u@h/d?sslmode=disable&schema=pictures',
      'has the parameter schema, which has no effect; instead: ALTER ROLE … SET search_path = …',
    ],
    ['SOURCE_ALLOW', '10/8', 'must be CIDRs separated by commas, such as 10.0.0.0/8,192.168.1.0/24'],
  ])('%s = %s is answered with what it %s', (name, value, reason) => {
    expect(faultsOf({ [name]: value })).toEqual([`${name}: ${reason}`]);
  });
});

describe('a process that does a part', () => {
  it.each(['api', 'worker'] as const)('may be %s beside a database that outlives it', (role) => {
    expect(readConfig({ ROLE: role, DATABASE_URL: 'postgres://h/d' }).role).toBe(role);
    expect(faultsOf({ ROLE: role })).toEqual([
      `ROLE: ${role} needs DATABASE_URL; the embedded PostgreSQL ends with its process`,
    ]);
  });

  it('reports only the address of the database if that is wrong', () => {
    expect(faultsOf({ ROLE: 'api', DATABASE_URL: 'mysql://h' })).toEqual([expect.stringMatching(/^DATABASE_URL: /)]);
  });
});

describe('faults', () => {
  it('are reported all together, in the order of the documentation', () => {
    const faults = faultsOf({
      LOG_LEVEL: 'loud',
      PORT: '99999',
      ROLE: 'none',
      SOURCE_ALLOW: 'everything',
      DATABASE_URL: 'sqlite://x',
      WORKERS: '0',
      MEILI_KEY_FILE: join(folder, 'nothing'),
    });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'MEILI_KEY_FILE',
      'PORT',
      'DATABASE_URL',
      'ROLE',
      'SOURCE_ALLOW',
      'WORKERS',
      'LOG_LEVEL',
    ]);
  });

  it('are counted in the first line', () => {
    expect(() => readConfig({ PORT: 'x', ROLE: 'y' })).toThrow(
      /^2 configuration errors:\n  PORT: 'x' is not a number\n  ROLE: must be all, api, or worker, not 'y'$/,
    );
  });

  it('do not reveal a secret', () => {
    const secrets = { DATABASE_URL: 'pg://user:hunter2@h/d', ADMIN_API_KEY: 'hunter2', REDIS_URL: 'r://:hunter2@h' };
    expect(faultsOf(secrets).join()).not.toContain('hunter2');
  });
});

describe('a secret', () => {
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it.each([
    ['DATABASE_URL', 'postgres://u:p@h/d', 'databaseUrl'],
    ['ADMIN_API_KEY', 'a-key-of-25-characters-ok', 'adminApiKey'],
  ] as const)('%s may come from a file, without the line break at its end', (name, value, property) => {
    expect(readConfig({ [`${name}_FILE`]: file(name, `${value}\n`) })[property]).toBe(value);
  });

  it.each(['REDIS_URL', 'MEILI_KEY', 'HF_TOKEN'])('%s may come from a file too', (name) => {
    const path = file(name, 'redis://h');
    expect(() => readConfig({ [`${name}_FILE`]: path })).not.toThrow();
    expect(faultsOf({ [`${name}_FILE`]: join(folder, 'nothing') })).toEqual([
      `${name}_FILE: cannot read ${join(folder, 'nothing')}`,
    ]);
  });

  it('given itself is taken before one from a file, which then need not exist', () => {
    const environment = { ADMIN_API_KEY: 'a-key-that-is-given', ADMIN_API_KEY_FILE: join(folder, 'nothing') };
    expect(readConfig(environment).adminApiKey).toBe('a-key-that-is-given');
  });

  it('from a file is checked like one that is given', () => {
    expect(faultsOf({ ADMIN_API_KEY_FILE: file('short', 'short\n') })).toEqual([
      'ADMIN_API_KEY: must have at least 16 characters',
    ]);
    expect(faultsOf({ DATABASE_URL_FILE: file('empty', '') })).toEqual([
      'DATABASE_URL: must start with postgres:// or postgresql://',
    ]);
  });

  it.each(['PORT', 'HOST', 'MEDIA_ROOTS'])('is not what %s is: it does not come from a file', (name) => {
    expect(readConfig({ [`${name}_FILE`]: join(folder, 'nothing') })).toEqual(readConfig({}));
  });
});

describe('the providers of analysis', () => {
  const { ai } = readConfig({
    AI_PROVIDER: 'local',
    AI_NSFW_PROVIDER: 'huggingface',
    AI_CAPTION_MODEL: 'image-to-text:own/captioner',
    AI_ANALYSIS: 'off',
  });

  it('are chosen for each capability; what a provider cannot do is left to what is built in', () => {
    expect(ai.providers).toEqual({
      caption: 'local',
      keywords: 'local',
      ocr: 'local',
      embedding: 'local',
      nsfw: 'huggingface',
      faces: 'local',
    });
    expect(readConfig({ AI_PROVIDER: 'huggingface' }).ai.providers).toMatchObject({
      ocr: 'huggingface',
      faces: 'builtin',
    });
    expect(ai).toMatchObject({ isOn: false, named: ['nsfw'], models: { caption: 'image-to-text:own/captioner' } });
  });

  it('are not asked for what they cannot do, nor for a model that has no name', () => {
    expect(faultsOf({ AI_FACES_PROVIDER: 'huggingface' })).toHaveLength(1);
    expect(faultsOf({ AI_OCR_MODEL: 'https://h/m' })).toEqual(['AI_OCR_MODEL: must be owner/name, or task:owner/name']);
  });
});

describe('the configuration', () => {
  it('cannot be changed', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('has a row with a meaning for each variable that is documented', () => {
    expect(Object.keys(variables)).toEqual([
      'HOST',
      'PORT',
      'BASE_URL',
      'CORS_ORIGINS',
      'DATA_DIR',
      'DATABASE_URL',
      'REDIS_URL',
      'MEILI_URL',
      'MEILI_KEY',
      'MEILI_MAX_LAG',
      'ADMIN_API_KEY',
      'BACKUP_KEY',
      'ROLE',
      'DRAIN_SECONDS',
      'MEDIA_ROOTS',
      'PREVIEWS',
      'PREVIEW_CACHE',
      'PREVIEW_STORE',
      'UPLOAD_STORE',
      'AWS_ENDPOINT_URL',
      'AWS_REGION',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
      'HISTORY_DAYS',
      'SOURCE_ALLOW',
      'SMTP_URL',
      'SMTP_FROM',
      'AI_ANALYSIS',
      'AI_PROVIDER',
      'AI_CAPTION_PROVIDER',
      'AI_KEYWORDS_PROVIDER',
      'AI_OCR_PROVIDER',
      'AI_EMBEDDING_PROVIDER',
      'AI_NSFW_PROVIDER',
      'AI_FACES_PROVIDER',
      'AI_CAPTION_MODEL',
      'AI_KEYWORDS_MODEL',
      'AI_OCR_MODEL',
      'AI_EMBEDDING_MODEL',
      'AI_NSFW_MODEL',
      'AI_FACES_MODEL',
      'AI_FALLBACK',
      'HF_TOKEN',
      'HF_ENDPOINT',
      'AI_CAPTION_ENDPOINT',
      'AI_KEYWORDS_ENDPOINT',
      'AI_OCR_ENDPOINT',
      'AI_EMBEDDING_ENDPOINT',
      'AI_NSFW_ENDPOINT',
      'AI_PRICES',
      'MODELS_DIR',
      'MODELS_MEMORY',
      'MODELS_HUB',
      'LOCAL_MODELS_DIR',
      'AI_RUNTIME',
      'TESSDATA_DIR',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'NO_PROXY',
      'DATABASE_DIRECT_URL',
      'DATABASE_PREPARED',
      'DATABASE_READ_URLS',
      'DATABASE_CONNECTIONS',
      'DATABASE_TIMEOUT',
      'DATABASE_MIGRATE',
      'METRICS_HOST',
      'METRICS_PORT',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_SERVICE_NAME',
      'WORKERS',
      'DECODE_MEMORY',
      'SIMILARITY_MEMORY',
      'SIMILARITY',
      'SIMILARITY_DATABASE_FROM',
      'RATE_LIMIT_READ',
      'RATE_LIMIT_WRITE',
      'RATE_LIMIT_TAG',
      'RATE_LIMIT_QUERY_IMAGE',
      'LOG_LEVEL',
    ]);
    for (const { meaning } of Object.values(variables)) expect(meaning).toMatch(/^\S.+[^.]$/);
  });
});

describe('the environment of the process', () => {
  const before = process.cwd();
  afterEach(() => {
    process.chdir(before);
    vi.unstubAllEnvs();
  });

  it('is completed by the file .env of the current folder', () => {
    writeFileSync(join(folder, '.env'), '# a remark\nPORT=4100\nHOST="::1"\nLOG_LEVEL=debug\nROLE=\n');
    process.chdir(folder);
    for (const name of Object.keys(variables)) vi.stubEnv(name, undefined);
    vi.stubEnv('PORT', '4200');
    vi.stubEnv('LOG_LEVEL', '');
    expect(readConfig()).toMatchObject({ port: 4200, host: '::1', logLevel: 'debug', role: 'all' });
  });

  it('is completed by a file .env that begins with a byte order mark, too', () => {
    const other = mkdtempSync(join(folder, 'marked-'));
    writeFileSync(join(other, '.env'), '\uFEFFHOST=::1\nPORT=4100\n');
    process.chdir(other);
    for (const name of Object.keys(variables)) vi.stubEnv(name, undefined);
    expect(readConfig()).toMatchObject({ port: 4100, host: '::1' });
  });

  it('comes before that file under each name of a variable: its own, that of its file, and in lowercase', () => {
    const other = mkdtempSync(join(folder, 'named-'));
    const lines = ['DATABASE_URL=postgres://file/d', 'HF_TOKEN_FILE=/nowhere', 'HTTPS_PROXY=http://file:1'];
    writeFileSync(join(other, '.env'), lines.join('\n'));
    writeFileSync(join(other, 'url'), 'postgres://secret/d\n');
    process.chdir(other);
    for (const name of Object.keys(variables)) vi.stubEnv(name, undefined);
    vi.stubEnv('DATABASE_URL_FILE', join(other, 'url'));
    vi.stubEnv('HF_TOKEN', 'hf_given');
    vi.stubEnv('https_proxy', 'http://small:1');
    const { databaseUrl, ai, proxies } = readConfig();
    expect([databaseUrl, ai.hfToken, proxies.https]).toEqual(['postgres://secret/d', 'hf_given', 'http://small:1']);
  });

  it('is refused with a reason if that file is a folder, as container engines make of a file that is missing', () => {
    const other = mkdtempSync(join(folder, 'mounted-'));
    mkdirSync(join(other, '.env'));
    process.chdir(other);
    expect(() => readConfig()).toThrow(new SetupError(`${join(other, '.env')} cannot be read: it is a folder.`));
  });

  it('is enough when there is no such file', () => {
    process.chdir(mkdtempSync(join(folder, 'empty-')));
    for (const name of Object.keys(variables)) vi.stubEnv(name, undefined);
    vi.stubEnv('PORT', '4200');
    expect(readConfig()).toEqual({ ...readConfig({}), port: 4200 });
  });
});
