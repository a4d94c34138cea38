/** Why a backing service serves only some requests; the others continue, so processes stay ready. */
export class Degraded extends Error {
  /** Its state in `/ready`. */
  readonly state: string;

  constructor(state: string, reason: string) {
    super(reason);
    this.name = 'Degraded';
    this.state = state;
  }
}
