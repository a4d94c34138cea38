import type { AiCapability, AiConfig } from '../config/ai-config.ts';
import { fetchBy } from '../lib/fetch-by.ts';
import type { Proxies } from '../lib/proxies.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 8_000;
const tokenPage = 'https://huggingface.co/api/whoami-v2';

const finding = (state: Finding['state'], text: string, remedy?: string): Finding => ({
  subject: 'huggingface',
  state,
  text,
  ...(remedy !== undefined && { remedy }),
});

/** Findings about Hugging Face and the endpoints that replace it, for the capabilities that they serve: one per address. */
export async function findHuggingFace(
  ai: Pick<AiConfig, 'hfToken' | 'hfEndpoint' | 'endpoints'>,
  served: readonly AiCapability[],
  proxies: Proxies,
): Promise<Finding[]> {
  const addressOf = (name: AiCapability) => ai.endpoints[name] ?? ai.hfEndpoint;
  const addresses = [...new Set(served.map(addressOf))];
  return Promise.all(
    addresses.map((address) => {
      const serves = `serves ${served.filter((name) => addressOf(name) === address).join(', ')}`;
      return address === undefined
        ? findHosted(ai.hfToken, serves, proxies)
        : findEndpoint(new URL(address.replaceAll(/\{\w+\}/g, '')).origin, serves, proxies);
    }),
  );
}

/** Whether Hugging Face accepts the token. */
async function findHosted(token: string | undefined, serves: string, proxies: Proxies): Promise<Finding> {
  if (token === undefined) {
    return finding(
      'fault',
      `${serves}, but HF_TOKEN is not set`,
      'Set HF_TOKEN, or set HF_ENDPOINT to your own server.',
    );
  }
  const answer = await request(tokenPage, proxies, { Authorization: `Bearer ${token}` });
  if (answer instanceof Error) return unreachable(tokenPage, serves, answer);
  if (answer.ok) return finding('ok', `${serves}; ${tokenPage} answers`);
  return finding('fault', `refuses HF_TOKEN (${answer.status})`, 'Create a token that may call inference providers.');
}

/** Whether the server is reachable, which any status proves. This probe does not send the token. */
async function findEndpoint(url: string, serves: string, proxies: Proxies): Promise<Finding> {
  const answer = await request(url, proxies);
  if (answer instanceof Error) return unreachable(url, serves, answer);
  return finding('ok', `${serves}; ${withoutPassword(url)} answers`);
}

function unreachable(url: string, serves: string, error: Error): Finding {
  const text = `${serves}, but ${withoutPassword(url)} cannot be reached: ${reasonOf(error)}`;
  return finding('fault', text, 'Check the endpoint, HTTPS_PROXY, and outgoing connections of this machine.');
}

async function request(url: string, proxies: Proxies, headers: Record<string, string> = {}): Promise<Response | Error> {
  try {
    const answer = await fetchBy(proxies, url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    await answer.body?.cancel();
    return answer;
  } catch (error) {
    return error as Error;
  }
}
