import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { AiCapability, AiConfig } from '../config/ai-config.ts';
import type { Config } from '../config/config.ts';
import { SetupError } from '../lib/errors.ts';
import {
  chooseLocal,
  commandForModels,
  findModelRuntime,
  findOnnxRuntime,
  findTransformers,
  installCommand,
  loadDecoder,
} from '../analysis/index.ts';
import type { Finding } from './finding.ts';
import { findHuggingFace } from './huggingface.ts';

/** Time limit for loading ONNX Runtime. */
const loadMs = 10_000;

/** Findings about the decoders of pictures and videos and the configured providers. */
export async function findAnalyzers({ ai, proxies }: Pick<Config, 'ai' | 'proxies'>): Promise<Finding[]> {
  const served = (provider: string) =>
    (Object.keys(ai.providers) as AiCapability[]).filter((name) => ai.providers[name] === provider);
  const theirs = served('huggingface');
  const ours = served('local');
  const found = [
    Promise.resolve([pictures()]),
    videos(),
    findHuggingFace(ai, theirs, proxies),
    ...(ours.length > 0 ? [Promise.resolve(localModels(ai))] : []),
    findNetworks(findOnnxRuntime(ai)),
    Promise.resolve(ocr(ai)),
  ];
  return (await Promise.all(found)).flat();
}

function pictures(): Finding {
  const { vips, heif } = sharp.versions as Record<string, string>;
  return {
    subject: 'pictures',
    state: 'ok',
    text: `libvips ${vips ?? '?'}${heif === undefined ? '' : `, libheif ${heif}`}`,
  };
}

/** Whether video frames can be decoded here. */
async function videos(): Promise<Finding[]> {
  const fault = await loadDecoder();
  if (fault === null) return [{ subject: 'videos', state: 'ok', text: 'video frames can be decoded' }];
  const remedy = 'Videos are stored without frames. Run npm install again, then analyzeVideos(q: "ai_status:failed").';
  return [{ subject: 'videos', state: 'note', text: fault, remedy }];
}

/**
 * What runs the built-in networks. `library` is the library of ONNX Runtime, null if it is not to be used or there is none
 * for this system. It is tried in a separate process, so that a fault in native code ends only that process.
 */
export async function findNetworks(library: string | null): Promise<Finding> {
  const how = 'WebAssembly runs the built-in networks';
  if (library === null) return { subject: 'networks', state: 'ok', text: how };
  const args = [
    '-e',
    'require(process.argv[1]).load(process.argv[2])',
    createRequire(import.meta.url).resolve('koffi'),
  ];
  const isLoaded = await promisify(execFile)(process.execPath, [...args, library], { timeout: loadMs }).then(
    () => true,
    () => false,
  );
  if (isLoaded) return { subject: 'networks', state: 'ok', text: 'ONNX Runtime runs the built-in networks' };
  const remedy = 'Pictures take twice the time. ONNX Runtime needs the C library glibc on Linux.';
  return { subject: 'networks', state: 'note', text: `${how}: ${library} cannot be loaded`, remedy };
}

/** Whether there is a runtime for these models of models.json. */
function ownModels(names: string, modelsDir: string): Finding {
  const subject = 'local';
  if (findModelRuntime(modelsDir) !== null) {
    return { subject, state: 'ok', text: `models ${names} of ${modelsDir}; try vitrine models check` };
  }
  const remedy = `Run: ${commandForModels(modelsDir)}`;
  return { subject, state: 'fault', text: `nothing here runs the models ${names}`, remedy };
}

/** Whether the models of provider `local` have what they need: their files and the packages that run them. */
function localModels(ai: AiConfig): Finding[] {
  const fault = (text: string, remedy: string): Finding => ({ subject: 'local', state: 'fault', text, remedy });
  const { models, modelsDir } = ai;
  try {
    const { own, transformers } = chooseLocal(ai);
    const names = own.map(({ name }) => name).join(', ');
    return [
      ...(own.length > 0 ? [ownModels(names, modelsDir)] : []),
      ...(transformers.length > 0 && findTransformers(modelsDir) === null
        ? [
            fault(
              `local models serve ${transformers.join(', ')}, but their library is not installed`,
              `Run: ${installCommand(modelsDir, ['@huggingface/transformers'])}`,
            ),
          ]
        : transformers.map((name): Finding => {
            const folder = join(modelsDir, models[name]?.replace(/^[a-z-]+:/, '') ?? '');
            return existsSync(folder)
              ? { subject: 'local', state: 'ok', text: `the model for ${name} is in ${folder}` }
              : fault(`there is no model for ${name} in ${folder}`, 'Copy the model to that folder.');
          })),
    ];
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return [fault(error.message, 'Correct models.json: docs/analysis.md#your-own-models')];
  }
}

function ocr({ tessdataDir }: AiConfig): Finding[] {
  if (tessdataDir === undefined) return [{ subject: 'ocr', state: 'ok', text: 'English, Spanish, French, Portuguese' }];
  const files = existsSync(tessdataDir) ? readdirSync(tessdataDir).filter((file) => file.endsWith('.traineddata')) : [];
  if (files.length > 0) return [{ subject: 'ocr', state: 'ok', text: `${files.join(', ')} in ${tessdataDir}` }];
  const text = `there are no languages in ${tessdataDir}`;
  return [{ subject: 'ocr', state: 'fault', text, remedy: 'Set TESSDATA_DIR to a folder of *.traineddata.' }];
}
