import { isDistrusted, openMeilisearchClient, refusalIn, trustHint } from '../backing/index.ts';
import type { MeilisearchAddresses, MeilisearchMember } from '../backing/index.ts';
import { reasonOf, withoutPassword } from './finding.ts';
import type { Finding } from './finding.ts';

const timeoutMs = 5_000;

/** Checks Meilisearch: whether each server answers, accepts the key and is new enough, and whether they reach each other. */
export async function findMeilisearch(meilisearch: MeilisearchAddresses | null): Promise<Finding[]> {
  if (meilisearch === null) return [{ subject: 'meilisearch', state: 'note', text: 'none: PostgreSQL searches' }];
  const { urls, key } = meilisearch;
  const findings = (await Promise.all(urls.map((url) => findServer(url, key)))).flat();
  const isUsable = urls.length > 1 && findings.every(({ state }) => state !== 'fault');
  return isUsable ? [...findings, ...(await findNetwork(meilisearch))] : findings;
}

async function findServer(url: string, key: string | undefined): Promise<Finding[]> {
  const ask = (path: string) =>
    fetch(`${url.replace(/\/+$/, '')}${path}`, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(timeoutMs),
    });
  try {
    const answer = await ask('/version');
    if (answer.status === 401 || answer.status === 403) {
      // A key for our indexes may list them, but cannot be given the right to read the version.
      if ((await ask('/indexes?limit=1')).ok) {
        const text = `Meilisearch at ${withoutPassword(url)} accepts the key, which is limited to some indexes and cannot read the version`;
        return [{ subject: 'meilisearch', state: 'note', text, remedy: 'The service needs 1.28 or newer.' }];
      }
      const text = `Meilisearch at ${withoutPassword(url)} refuses the key (${answer.status})`;
      const remedy = 'Set MEILI_KEY to its master key, or to one with the actions in docs/meilisearch.md.';
      return [{ subject: 'meilisearch', state: 'fault', text, remedy }];
    }
    const { pkgVersion = '0.0' } = (await answer.json()) as { pkgVersion?: string };
    const [major = 0, minor = 0] = pkgVersion.split('.').map(Number);
    const text = `Meilisearch ${pkgVersion} at ${withoutPassword(url)}`;
    if (major > 1 || (major === 1 && minor >= 28)) return [{ subject: 'meilisearch', state: 'ok', text }];
    return [{ subject: 'meilisearch', state: 'fault', text, remedy: 'The service needs 1.28 or newer.' }];
  } catch (error) {
    const text = `Meilisearch does not answer at ${withoutPassword(url)}: ${reasonOf(error)}`;
    const { cause = error } = error as Error;
    const remedy = isDistrusted(cause) ? trustHint : 'Check MEILI_URL; PostgreSQL searches until it answers.';
    return [{ subject: 'meilisearch', state: 'fault', text, remedy }];
  }
}

type Remotes = Readonly<{ remoteErrors?: Readonly<Record<string, Readonly<{ code: string; message: string }>>> }>;

/** Whether each of several servers reaches the others, which searches require. */
async function findNetwork(addresses: MeilisearchAddresses): Promise<Finding[]> {
  const client = openMeilisearchClient(addresses);
  try {
    const faults = (await Promise.all(client.members.map((member) => findUnreached(member, client.members)))).flat();
    if (faults.length > 0) return faults;
    const text = `the ${client.members.length} Meilisearch servers reach each other`;
    return [{ subject: 'meilisearch', state: 'ok', text }];
  } finally {
    client.close();
  }
}

async function findUnreached(entry: MeilisearchMember, members: readonly MeilisearchMember[]): Promise<Finding[]> {
  const queries = members.map(({ remote }) => ({
    indexUid: 'vitrine_doctor',
    federationOptions: { weight: 1, remote },
  }));
  const fault = (text: string, remedy: string): Finding => ({ subject: 'meilisearch', state: 'fault', text, remedy });
  try {
    const answer = await entry.reader.multiSearch({ federation: { limit: 0 }, queries });
    const { remoteErrors = {} } = answer as Remotes;
    // The index does not exist: a server that reports this was reached.
    const errors = Object.entries(remoteErrors).filter(([, { code }]) => code !== 'remote_bad_request');
    return errors.map(([remote, { message }]) => {
      const other = members.find((member) => member.remote === remote)?.name ?? remote;
      const remedy =
        'They must reach each other at the addresses in MEILI_URL: set MEILI_EXPERIMENTAL_ALLOWED_IP_NETWORKS.';
      return fault(`Meilisearch at ${entry.name} cannot query ${other}: ${message.split('\n')[0]}`, remedy);
    });
  } catch (error) {
    const text = `Meilisearch at ${entry.name} does not know the others yet: ${(refusalIn(error) ?? (error as Error)).message}`;
    return [fault(text, 'A worker tells it at its start, with a key that has the actions in docs/meilisearch.md.')];
  }
}
