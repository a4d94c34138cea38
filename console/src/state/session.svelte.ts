import { onSignedOut } from '../api/graphql.ts';
import { readSession, signIn, signOut } from '../api/session.ts';
import type { Session } from '../api/session.ts';

type State = 'unknown' | 'out' | 'in' | 'unreachable';

let state = $state<State>('unknown');
let who = $state.raw<Session | null>(null);

function set(session: Session | null): void {
  who = session;
  state = session === null ? 'out' : 'in';
}

onSignedOut(() => set(null));

/** Who is signed in, and what they may do. */
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
  async open(): Promise<void> {
    try {
      set(await readSession());
    } catch {
      state = 'unreachable';
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
