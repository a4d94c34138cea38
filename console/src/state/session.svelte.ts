import { isAbort, onSignedOut } from '../api/graphql.ts';
import { patiently } from '../api/patiently.ts';
import type { WaitReason } from '../api/patiently.ts';
import { readSession, signIn, signOut } from '../api/session.ts';
import type { Session } from '../api/session.ts';

/** `ended`: the session has ended while somebody was using the page, which stays as it is until they sign in again. */
type State = 'unknown' | 'out' | 'in' | 'ended' | 'unreachable';

let state = $state<State>('unknown');
/** Ends the previous request. */
let asking = new AbortController();
let who = $state.raw<Session | null>(null);
/** The tenant whose records the page has shown; null before anybody has signed in. */
let tenant: string | null = null;
/** Tells requests that wait for a new session whether they may be sent in it. */
const waiting = new Set<(isIn: boolean) => void>();

function set(session: Session | null): void {
  // The page keeps records, selections and drafts of the previous tenant.
  if (session !== null && tenant !== null && session.tenant !== tenant) return location.replace('./');
  tenant ??= session?.tenant ?? null;
  who = session;
  state = session === null ? 'out' : 'in';
  for (const tell of waiting) tell(session !== null);
  waiting.clear();
}

onSignedOut((signal) => {
  if (state !== 'in' && state !== 'ended') return Promise.resolve(false);
  state = 'ended';
  return new Promise((resolve, reject) => {
    waiting.add(resolve);
    signal?.addEventListener('abort', () => {
      waiting.delete(resolve);
      reject(signal.reason as Error);
    });
  });
});

/** The signed-in user, and their rights. */
export const session = {
  get state(): State {
    return state;
  },
  get who(): Session | null {
    return who;
  },
  may(scope: string): boolean {
    return who?.scopes.includes(scope) === true;
  },
  /** Finds out who is signed in, retrying until the service answers. */
  async open(): Promise<void> {
    asking.abort();
    asking = new AbortController();
    const onWait = (reason: WaitReason | null) => {
      if (reason !== null) state = 'unreachable';
    };
    try {
      set(await patiently(readSession, { onWait, signal: asking.signal }));
    } catch (error) {
      if (!isAbort(error)) state = 'unreachable';
    }
  },
  async signIn(key: string): Promise<void> {
    set(await signIn(key));
  },
  /** Signs out. @throws ApiError if the service does not answer: the browser then still has the session */
  async signOut(): Promise<void> {
    try {
      await signOut();
    } catch (error) {
      if (state !== 'ended') throw error;
    }
    set(null);
  },
};
