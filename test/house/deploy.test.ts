import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { variables } from '../../src/config/config.ts';
import { metricTable } from '../../src/observability/metrics/index.ts';
import { packageRoot } from '../../src/lib/package-root.ts';

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8');
/** Variables of Node itself, and of the machine that traces are sent from. */
const others = ['NODE_ENV', 'NODE_PATH', 'NODE_EXTRA_CA_CERTS'];

function namesIn(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? ''))];
}

/** The part of compose.yaml that sets variables of our containers: the anchors, and services built here. */
function variablesOfCompose(): string[] {
  const blocks = read('compose.yaml').split(/\n(?= {2}\S)|\n(?=\S)/);
  const ours = blocks.filter((block) => block.includes('build: .') || block.includes('<<: *vitrine'));
  const settings = ours.flatMap((block) => block.split('\n').map((line) => /^ +([A-Z][A-Z_]+): /.exec(line)?.[1]));
  // The anchor's own lines are blocks of their own, two blanks in.
  const anchor = /&environment\n([\s\S]*?)\n {2}volumes:/.exec(read('compose.yaml'))?.[1] ?? '';
  return [...settings.flatMap((name) => name ?? []), ...namesIn(anchor, /^ +([A-Z][A-Z_]+):/gm)];
}

/** What compose.yaml says of each service, by its name; of ours also what their anchor says. */
function servicesOfCompose(): Record<string, string> {
  const [anchor = '', rest = ''] = read('compose.yaml').split('\nservices:\n');
  const blocks = rest.split(/\n(?=\S)/)[0]?.split(/^ {2}(?=[a-z][a-z0-9-]*:$)/m) ?? [];
  const named = blocks.slice(1).map((block) => [/^[a-z0-9-]+/.exec(block)?.[0] ?? '', block] as const);
  return Object.fromEntries(
    named.map(([name, block]) => [name, block.includes('<<: *vitrine') ? anchor + block : block]),
  );
}

describe('files that the service is shipped with', () => {
  const known = [...Object.keys(variables), ...others];

  it('set only variables that the service reads', () => {
    const image = /^ENV ([\s\S]*?)\n(?!  )/m.exec(read('Dockerfile'))?.[1] ?? '';
    const unit =
      read('deploy/vitrine.service')
        .match(/^Environment=.*$/gm)
        ?.join(' ') ?? '';
    const found = {
      Dockerfile: namesIn(image, /([A-Z][A-Z_]+)=/g),
      unit: namesIn(unit.replaceAll('Environment=', ''), /([A-Z][A-Z_]+)=/g),
      compose: variablesOfCompose(),
    };
    expect(found.Dockerfile).toContain('DATA_DIR');
    expect(found.unit).toContain('DATA_DIR');
    expect(found.compose).toEqual(expect.arrayContaining(['DATABASE_URL', 'REDIS_URL', 'MEILI_URL', 'ROLE']));
    for (const names of Object.values(found)) expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('name variables and commands in the pages about running that exist', () => {
    const page = read('docs/run.md');
    const names = namesIn(page, /`([A-Z][A-Z]+_[A-Z_]+)(?:=[^`]*)?`/g).filter((name) => !name.endsWith('_FILE'));
    const foreign = ['POSTGRES_PASSWORD', 'OWNER_PASSWORD', 'APP_PASSWORD', 'MEILI_MASTER_KEY', 'FIRST_ADMIN_KEY'];
    expect(names.filter((name) => !known.includes(name) && !foreign.includes(name))).toEqual([]);
  });

  it('install packages from what names them alone, without scripts, so that an image of new sources needs no registry', () => {
    const [before = '', after] = read('Dockerfile').split('COPY . .');
    expect(before).toMatch(/^RUN npm ci --ignore-scripts /m);
    expect(after).not.toContain('npm ci');
    const { devDependencies, dependencies } = JSON.parse(read('package.json')) as Record<string, object>;
    const versions: string[] = Object.values({ ...dependencies, ...devDependencies });
    const folders = versions.flatMap((version) => /^file:(.*)/.exec(version)?.[1] ?? []);
    for (const folder of new Set(folders)) expect(before).toContain(`COPY ${folder} ${folder}\n`);
  });

  it('send no secret and no archive to who builds the image', () => {
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.env*', '*.tar', '*.tar.gz', '*.tgz']));
  });

  it('bring every service back after a reboot, but for the one that migrates and ends', () => {
    const services = Object.entries(servicesOfCompose());
    expect(services.map(([name]) => name)).toEqual(expect.arrayContaining(['postgres', 'api', 'worker-2', 'grafana']));
    const ending = services.filter(([, block]) => !block.includes('restart: unless-stopped'));
    expect(ending.map(([name]) => name)).toEqual(['migrate']);
  });

  it('keep what services store in volumes that outlive their containers', () => {
    const stores = { postgres: '/var/lib/postgresql', meilisearch: '/meili_data', prometheus: '/prometheus' };
    const services = servicesOfCompose();
    for (const [name, folder] of Object.entries({ ...stores, grafana: '/var/lib/grafana' }))
      expect(services[name]).toContain(`- ${name}:${folder}\n`);
  });

  it('wait for PostgreSQL where others reach it: the first start makes the database behind a socket', () => {
    expect(servicesOfCompose()['postgres']).toMatch(/test: pg_isready -h 127\.0\.0\.1 /);
  });

  it('ask Prometheus for metrics and labels that there are, and show every current one on the dashboard', () => {
    const table = Object.entries(metricTable).map(([name, row]) => [`vitrine_${name}`, row] as const);
    const written = table.flatMap(([name, { type }]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    );
    const labels = new Set(['instance', 'le', 'job', ...table.flatMap(([, row]) => [...row.labels])]);
    for (const file of ['deploy/grafana-dashboard.json', 'deploy/prometheus-rules.yml']) {
      const text = read(file).replaceAll('\\"', '"');
      const names = namesIn(text, /\b(vitrine_[a-z_]+)/g);
      expect(
        names.filter((name) => !written.includes(name) && name !== 'vitrine_app'),
        file,
      ).toEqual([]);
      const used = [
        ...namesIn(text, /([a-z_]+)=~?"/g),
        ...namesIn(text, /by \(([a-z, ]+)\)/g).flatMap((list) => list.split(', ')),
      ];
      expect(
        used.filter((label) => !labels.has(label)),
        file,
      ).toEqual([]);
    }
    const shown = read('deploy/grafana-dashboard.json');
    const current = table.filter(([, { help }]) => !help.startsWith('Deprecated:'));
    expect(current.filter(([name]) => !shown.includes(name)).map(([name]) => name)).toEqual([]);
  });

  it('install what the service is built with, also where NODE_ENV says production', () => {
    const env = { ...process.env, NODE_ENV: 'production' };
    const tools = ['vite', 'typescript', 'prisma'];
    const { stdout } = spawnSync('npm', ['ls', '--depth=0', ...tools], { cwd: packageRoot, env, encoding: 'utf8' });
    for (const tool of tools) expect(stdout).toContain(` ${tool}@`);
  });
});
