/** Why a backing service serves only part of the requests. The rest work, so processes stay ready. */
export class Degraded extends Error {
  /** How `/ready` names this state. */
  readonly state: string;

  constructor(state: string, reason: string) {
    super(reason);
    this.name = 'Degraded';
    this.state = state;
  }
}
