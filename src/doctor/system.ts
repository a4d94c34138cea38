import { access, constants, stat, statfs } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import { dirname } from 'node:path';
import process from 'node:process';
import { misspelledSettings } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { availableMemory } from '../lib/available-memory.ts';
import { refusalInWords } from '../lib/system-refusals.ts';
import type { Finding } from './finding.ts';

/** Memory of one analysis thread with its models. */
const threadGiB = 0.6;
const enoughGiB = 2;

/** Checks the runtime, and whether the machine has room for the configured threads. */
export function findRuntime({ workers, role }: Pick<Config, 'workers' | 'role'>): Finding[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isEnough = major > 20 || (major === 20 && minor >= 19);
  const text = `Node ${process.versions.node} on ${process.platform}-${process.arch}, ${hostname()}`;
  const node: Finding = isEnough
    ? { subject: 'node', state: 'ok', text }
    : { subject: 'node', state: 'fault', text, remedy: 'Install Node 20.19 or newer.' };
  const memory = availableMemory() / 2 ** 30;
  const room = `${availableParallelism()} cores and ${memory.toFixed(1)} GiB for ${workers} threads`;
  if (role === 'api' || memory >= workers * threadGiB + 1)
    return [node, { subject: 'machine', state: 'ok', text: room }];
  return [node, { subject: 'machine', state: 'note', text: room, remedy: 'Set WORKERS lower, or add memory.' }];
}

/** Checks whether the name of a setting is misspelled. */
export function findMisspelled(): Finding[] {
  return misspelledSettings().map((text) => ({ subject: 'settings', state: 'note', text }));
}

/** Checks whether the folders of pictures can be read. */
export function findMedia({ mediaRoots }: Pick<Config, 'mediaRoots'>): Promise<Finding[]> {
  return Promise.all(
    mediaRoots.map(async (root): Promise<Finding> => {
      try {
        await access(root, constants.R_OK | constants.X_OK);
        return { subject: 'media', state: 'ok', text: `${root} can be read` };
      } catch {
        return {
          subject: 'media',
          state: 'note',
          text: `${root} cannot be read`,
          remedy: 'Create the folder, or set MEDIA_ROOTS to the folder of the pictures.',
        };
      }
    }),
  );
}

/** Checks whether the service can write to DATA_DIR, and the free disk space there. */
export async function findDisk({ dataDir }: Pick<Config, 'dataDir'>): Promise<Finding[]> {
  const found = await stat(dataDir).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (found instanceof Error) {
    const refusal = isMissing(found) ? await refusalToMake(dataDir) : found;
    return refusal === null ? [] : [notWritable(dataDir, refusal)];
  }
  if (!found.isDirectory()) return [notWritable(dataDir, null)];
  const refusal = await access(dataDir, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: unknown) => notWritable(dataDir, error),
  );
  const { bavail, bsize } = await statfs(dataDir);
  const free = (bavail * bsize) / 2 ** 30;
  const text = `${free.toFixed(1)} GiB free under ${dataDir}`;
  const space: Finding =
    free > enoughGiB
      ? { subject: 'disk', state: 'ok', text }
      : { subject: 'disk', state: 'fault', text, remedy: 'Free some space, or move DATA_DIR.' };
  return refusal === null ? [space] : [refusal, space];
}

/** Why a missing folder cannot be created; null if it can. */
async function refusalToMake(folder: string): Promise<unknown> {
  const parent = dirname(folder);
  try {
    await access(parent, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return isMissing(error as NodeJS.ErrnoException) && parent !== folder ? refusalToMake(parent) : error;
  }
}

const isMissing = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT';

function notWritable(dataDir: string, error: unknown): Finding {
  const reason = error === null ? 'it is not a folder' : (refusalInWords(error) ?? String(error));
  const text = `${dataDir} cannot be written by this user: ${reason}`;
  return { subject: 'disk', state: 'fault', text, remedy: 'Run this as its owner, or set DATA_DIR to another folder.' };
}
