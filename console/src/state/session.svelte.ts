import { isAbort, onSignedOut } from '../api/graphql.ts';
import { patiently } from '../api/patiently.ts';
import type { WaitReason } from '../api/patiently.ts';
import { readSession, signIn, signOut } from '../api/session.ts';
import type { Session } from '../api/session.ts';

type State = 'unknown' | 'out' | 'in' | 'unreachable';

let state = $state<State>('unknown');
/** Ends the previous request. */
let asking = new AbortController();
let who = $state.raw<Session | null>(null);

function set(session: Session | null): void {
  who = session;
  state = session === null ? 'out' : 'in';
}

onSignedOut(() => set(null));

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
  /** Reads who is signed in, until the service answers. */
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
  async signOut(): Promise<void> {
    await signOut().catch(() => {});
    set(null);
  },
};
