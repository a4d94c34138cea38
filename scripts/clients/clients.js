import { cpSync, existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

// Versions are pinned, so that a failure is due to the document.
const versions = {
  redocly: '2.77.0',
  spectral: '6.16.3',
  openapiGenerator: '7.24.0',
  openapiPythonClient: '0.29.1',
  oapiCodegen: 'v2.8.2',
};

const program = (name) => resolve('scripts/clients/programs', name);

/** Copies a Go program into a folder, with the helpers that all of them use. */
function copyGo(name, folder) {
  cpSync(program(name), join(folder, 'main.go'));
  cpSync(program('must.go'), join(folder, 'must.go'));
}
const modules = resolve('node_modules');

/** Commands that download openapi-generator, once for all clients, and generate a client. */
function openapiGenerator(language, { tools, document }, ...options) {
  const jar = join(tools, `openapi-generator-cli-${versions.openapiGenerator}.jar`);
  const artifact = `org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`;
  const fetchJar = ['mvn', '-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${tools}`];
  const generate = ['java', '-jar', jar, 'generate', '-i', document, '-g', language, '-o', 'client', ...options];
  return [...(existsSync(jar) ? [] : [fetchJar]), generate];
}

/** Commands that create a Python environment for the client, with packages. */
function python(...packages) {
  const pip = ['python/bin/pip', 'install', '-q', '--disable-pip-version-check', ...packages];
  return [['python3', '-m', 'venv', 'python'], pip];
}

/** Compiles a program next to generated TypeScript, as strictly as the project itself. */
function typescript(name) {
  return ({ folder }) => {
    const options = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
    const imports = ['--allowImportingTsExtensions', '--rewriteRelativeImportExtensions'];
    const compiler = join(modules, 'typescript/bin/tsc');
    return [
      () => {
        cpSync(program(name), join(folder, 'program.mts'));
        symlinkSync(modules, join(folder, 'node_modules'));
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      },
      [process.execPath, compiler, '--ignoreConfig', '--strict', ...options, ...imports, 'program.mts'],
    ];
  };
}

const runProgram = () => [[process.execPath, 'program.mjs']];

/**
 * Linters of the document, which exit with an error if they find one. A rule of redocly is off because the contract
 * has `/ops/`.
 */
const linters = [
  {
    name: 'redocly',
    needs: ['npx'],
    isLinter: true,
    ran: ({ folder, document }) => [
      () =>
        writeFileSync(join(folder, 'rules.yaml'), 'extends: [recommended]\nrules: { no-path-trailing-slash: off }\n'),
      ['npx', '-y', `@redocly/cli@${versions.redocly}`, 'lint', '--config', 'rules.yaml', document],
    ],
  },
  {
    name: 'spectral',
    needs: ['npx'],
    isLinter: true,
    ran: ({ folder, document }) => [
      () => writeFileSync(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n'),
      ['npx', '-y', `@stoplight/spectral-cli@${versions.spectral}`, 'lint', '--ruleset', 'rules.yaml', document],
    ],
  },
];

/**
 * Clients: what must be on PATH, and the commands of each stage, run in a separate folder per client. The last
 * command of `ran` prints the results of its program.
 */
export const clients = [
  ...linters,
  {
    name: 'typescript: openapi-typescript, openapi-fetch',
    needs: ['node'],
    generated: ({ document }) => [
      [process.execPath, join(modules, 'openapi-typescript/bin/cli.js'), document, '-o', 'vitrine.ts'],
    ],
    compiled: typescript('openapi-fetch.mts'),
    ran: runProgram,
  },
  {
    name: 'typescript: openapi-generator typescript-fetch',
    needs: ['java', 'mvn'],
    generated: (context) => [
      ...openapiGenerator('typescript-fetch', context, '--additional-properties=importFileExtension=.js'),
      () => renameSync(join(context.folder, 'client'), join(context.folder, 'vitrine')),
    ],
    compiled: typescript('typescript-fetch.mts'),
    ran: runProgram,
  },
  {
    name: 'python: openapi-python-client',
    needs: ['python3'],
    generated: ({ document }) => [
      ...python(`openapi-python-client==${versions.openapiPythonClient}`, 'ruff'),
      ['python/bin/openapi-python-client', 'generate', '--path', document, '--output-path', 'client', '--overwrite'],
    ],
    compiled: () => [
      ['python/bin/pip', 'install', '-q', '--disable-pip-version-check', './client'],
      ['python/bin/python', '-m', 'compileall', '-q', 'client'],
    ],
    ran: () => [['python/bin/python', program('openapi_python_client.py')]],
  },
  {
    name: 'python: openapi-generator python',
    needs: ['java', 'mvn', 'python3'],
    generated: (context) => openapiGenerator('python', context),
    compiled: () => [...python('./client'), ['python/bin/python', '-m', 'compileall', '-q', 'client']],
    ran: () => [['python/bin/python', program('openapi_generator.py')]],
  },
  {
    name: 'java: openapi-generator java',
    needs: ['java', 'mvn'],
    generated: (context) => openapiGenerator('java', context),
    compiled: ({ folder }) => [
      () => cpSync(program('OpenapiGenerator.java'), join(folder, 'client/src/main/java/OpenapiGenerator.java')),
      ['mvn', '-q', '-B', '-f', 'client', 'compile', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'],
    ],
    ran: () => [['sh', '-c', 'java -cp "client/target/classes:$(cat client/classpath)" OpenapiGenerator']],
  },
  {
    name: 'go: openapi-generator go',
    needs: ['java', 'mvn', 'go'],
    generated: (context) => openapiGenerator('go', context),
    compiled: ({ folder }) => [
      () => {
        mkdirSync(join(folder, 'client/program'));
        copyGo('openapi_generator.go', join(folder, 'client/program'));
      },
      ['go', '-C', 'client', 'mod', 'tidy'],
      ['go', '-C', 'client', 'build', '-o', '../run', './program'],
    ],
    ran: () => [['./run']],
  },
  {
    name: 'go: oapi-codegen',
    needs: ['go'],
    generated: ({ folder, document }) => [
      () => {
        mkdirSync(join(folder, 'vitrine'));
        writeFileSync(join(folder, 'go.mod'), 'module example.com/clients\n\ngo 1.23\n');
      },
      [
        ...['go', 'run', `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@${versions.oapiCodegen}`],
        ...['-package', 'vitrine', '-generate', 'types,client', '-o', 'vitrine/vitrine.go', document],
      ],
    ],
    compiled: ({ folder }) => [
      () => copyGo('oapi_codegen.go', folder),
      ['go', 'mod', 'tidy'],
      ['go', 'build', '-o', 'run', '.'],
    ],
    ran: () => [['./run']],
  },
];
