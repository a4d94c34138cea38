import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { AiConfig } from '../config/ai-config.ts';
import { SetupError } from '../lib/errors.ts';
import { chooseLocal, findTransformers, loadDecoder, missingPackages } from '../analysis/index.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 8_000;
const tokenPage = 'https://huggingface.co/api/whoami-v2';

/** Findings about the decoders of pictures and videos and the configured providers. */
export async function findAnalyzers(ai: AiConfig): Promise<Finding[]> {
  const served = (provider: string) => Object.entries(ai.providers).filter(([, chosen]) => chosen === provider);
  const theirs = served('huggingface').map(([name]) => name);
  const ours = served('local');
  const found = [
    Promise.resolve([pictures()]),
    videos(),
    ...(theirs.length > 0 ? [huggingFace(ai, theirs)] : []),
    ...(ours.length > 0 ? [Promise.resolve(localModels(ai))] : []),
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

async function huggingFace({ hfToken, hfEndpoint }: AiConfig, names: readonly string[]): Promise<Finding[]> {
  const what = names.join(', ');
  if (hfEndpoint === undefined && hfToken === undefined) {
    const text = `serves ${what}, but HF_TOKEN is not set`;
    return [
      { subject: 'huggingface', state: 'fault', text, remedy: 'Set HF_TOKEN, or set HF_ENDPOINT to your own server.' },
    ];
  }
  // Of an own endpoint only whether somebody is there: any status is an answer.
  const url = hfEndpoint === undefined ? tokenPage : new URL(hfEndpoint.replaceAll(/\{\w+\}/g, '')).origin;
  try {
    const headers = hfToken === undefined ? undefined : { Authorization: `Bearer ${hfToken}` };
    const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), ...(headers && { headers }) });
    if (hfEndpoint !== undefined || answer.ok) {
      return [{ subject: 'huggingface', state: 'ok', text: `serves ${what}; ${withoutPassword(url)} answers` }];
    }
    const text = `refuses HF_TOKEN (${answer.status})`;
    return [
      { subject: 'huggingface', state: 'fault', text, remedy: 'Create a token that may call inference providers.' },
    ];
  } catch (error) {
    const text = `serves ${what}, but ${withoutPassword(url)} cannot be reached: ${reasonOf(error)}`;
    return [
      {
        subject: 'huggingface',
        state: 'fault',
        text,
        remedy: 'Check HF_ENDPOINT and outgoing connections of this machine.',
      },
    ];
  }
}

/** Whether what the models of provider `local` need is there: their files and the packages that run them. */
function localModels(ai: AiConfig): Finding[] {
  const fault = (text: string, remedy: string): Finding => ({ subject: 'local', state: 'fault', text, remedy });
  const { models, modelsDir } = ai;
  try {
    const { own, transformers } = chooseLocal(ai);
    const names = own.map(({ name }) => name).join(', ');
    const missing = own.length === 0 ? [] : missingPackages(own, modelsDir);
    return [
      ...missing.map((name) => fault(`models ${names} need ${name}`, `Run: npm install --no-save ${name}`)),
      ...(own.length > 0 && missing.length === 0
        ? [
            {
              subject: 'local',
              state: 'ok',
              text: `models ${names} of ${modelsDir}; try vitrine models check`,
            } as const,
          ]
        : []),
      ...(transformers.length > 0 && findTransformers(modelsDir) === null
        ? [
            fault(
              `local models serve ${transformers.join(', ')}, but their library is not installed`,
              'Run: npm install --no-save @huggingface/transformers',
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
