// Checks the references in documents: relative links and their anchors, npm scripts, parts of the benchmark, and
// `vitrine` commands with their options. Prints each fault with its location; the exit code is 1 if there is any.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import process from 'node:process';
import { openProgram } from '../dist/src/cli/program.js';

const program = await openProgram();
const pages = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const benchmark = readFileSync('bench/run.ts', 'utf8');
/** Commands of npm that do not need `run`. */
const ownCommands = new Set(['ci', 'install', 'pack', 'prune', 'run', 'start', 'test']);

const faults = [];
const textOf = new Map(pages.map((path) => [path, readFileSync(path, 'utf8')]));
for (const [path, text] of textOf) {
  for (const link of linksOf(text)) checkLink(path, link);
  for (const code of codeOf(text)) checkCommands(path, code);
}
const readme = codeOf(textOf.get('README.md')).join('\n');
for (const { names, command } of leaves(program)) {
  if (!readme.includes(names) && command !== program) faults.push(`README.md: does not name the command "${names}"`);
}
process.stdout.write(faults.map((fault) => `${fault}\n`).join(''));
process.exitCode = faults.length === 0 ? 0 : 1;

/** Link targets, ignoring code. */
function linksOf(text) {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
}

function checkLink(path, link) {
  if (/^[a-z]+:/i.test(link)) return;
  const [file, anchor] = link.split('#');
  const target = file === '' ? path : normalize(join(dirname(path), file));
  if (!existsSync(target)) faults.push(`${path}: ${link} leads to no file`);
  else if (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)) {
    faults.push(`${path}: ${link} leads to no heading`);
  }
}

/** Anchors of a page's headings, generated as GitHub does. */
function anchorsOf(path) {
  const text = (textOf.get(path) ?? readFileSync(path, 'utf8')).replaceAll(/^```[\s\S]*?^```/gm, '');
  const anchors = new Set();
  for (const [, title] of text.matchAll(/^#+ +(.+)$/gm)) {
    const plain = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
    let number = 0;
    while (anchors.has(number === 0 ? anchor : `${anchor}-${number}`)) number += 1;
    anchors.add(number === 0 ? anchor : `${anchor}-${number}`);
  }
  return anchors;
}

/** Lines of code blocks, with continued commands joined, and inline code. */
function codeOf(text) {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].map(([, block]) => block);
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  const inline = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g);
  return [...lines, ...[...inline].map(([, code]) => code.replaceAll('\\|', '|'))];
}

function checkCommands(path, code) {
  for (const [, name, script, part] of code.matchAll(/\bnpm (\w+)(?: ([\w:-]*\w)(?: -- ([a-z][\w-]*))?)?/g)) {
    if (name === 'run' ? !(script in scripts) : !ownCommands.has(name))
      faults.push(`${path}: no "npm ${name} ${script ?? ''}"`);
    const isPart =
      script !== 'bench' || part === undefined || new RegExp(`\\W${part}'?(?::|\\))|'${part}'`).test(benchmark);
    if (!isPart) faults.push(`${path}: no part "${part}" of the benchmark`);
  }
  for (const [, words] of code.matchAll(/(?:^|[\s(])vitrine((?:[ \t]+[^\s|;&<>)]+)+)/g)) {
    checkCommand(path, words.trim().split(/\s+/));
  }
}

function checkCommand(path, words) {
  let command = program;
  let at = 0;
  for (; command.commands.length > 0 && at < words.length && /^[a-z]/.test(words[at]); at += 1) {
    const next = command.commands.find((each) => each.name() === words[at] || each.aliases().includes(words[at]));
    if (next === undefined) {
      faults.push(`${path}: no command "vitrine ${words.slice(0, at + 1).join(' ')}"`);
      return;
    }
    command = next;
  }
  const known = new Set(['--help', ...[command, program].flatMap(({ options }) => options.map(({ long }) => long))]);
  for (const word of words.slice(at)) {
    const [option] = /^--[a-z][\w-]*/.exec(word) ?? [];
    if (option === undefined || known.has(option)) continue;
    faults.push(`${path}: "vitrine ${words.slice(0, at).join(' ')}" takes no ${option}`);
  }
}

/** All commands that have no subcommands, with the words that name them. */
function leaves(command, words = []) {
  if (command.commands.length === 0) return [{ names: words.join(' '), command }];
  return command.commands.flatMap((each) => leaves(each, [...words, each.name()]));
}
