import { ApiError, sendOnce } from './graphql.ts';

/** The signed-in user. */
export type Session = Readonly<{ tenant: string; role: string; name: string; scopes: readonly string[] }>;

const path = 'session';

/** Reads who is signed in; null for nobody. */
export async function readSession(): Promise<Session | null> {
  const response = await sendOnce(path, { method: 'GET' });
  if (response.status === 204) return null;
  return toSession(response);
}

/** Signs in with a key, which the service turns into a cookie. @throws ApiError for a wrong key */
export async function signIn(key: string): Promise<Session> {
  return toSession(await sendOnce(path, { method: 'POST', headers: { 'API-Key': key } }));
}

/** Signs out. @throws ApiError if the service did not do that */
export async function signOut(): Promise<void> {
  const { ok, status } = await sendOnce(path, { method: 'DELETE' });
  if (!ok) throw new ApiError(status, `Status ${status}`);
}

async function toSession(response: Response): Promise<Session> {
  const body = (await response.json().catch(() => ({}))) as { detail?: string; code?: string };
  if (!response.ok) throw new ApiError(response.status, body.detail ?? `Status ${response.status}`, body);
  return body as unknown as Session;
}
