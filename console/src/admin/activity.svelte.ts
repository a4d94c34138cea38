import { graphql } from '../api/graphql.ts';
import { SampleService, SampleTenant } from '../api/documents.ts';
import type { ActivitySampleFragment } from '../api/documents.ts';
import { repeat } from '../api/repeat.ts';

const everyMs = 3_000;
/** Maximum number of samples: ten minutes. */
const kept = 200;

/** The work and the progress of the service, sampled while the page is open. */
export class ActivitySamples {
  samples = $state.raw<readonly ActivitySampleFragment[]>([]);
  fault = $state.raw<unknown>(null);
  readonly #since = new Date().toISOString();
  readonly #document: typeof SampleTenant | typeof SampleService;

  constructor(ofAllTenants: boolean) {
    this.#document = ofAllTenants ? SampleService : SampleTenant;
  }

  /** Takes samples until the returned function is called. */
  start(): () => void {
    return repeat(async () => document.hidden || this.sample(), everyMs);
  }

  async sample(): Promise<void> {
    try {
      const { state } = await graphql(this.#document, { since: this.#since });
      this.samples = [...this.samples, state.activity].slice(-kept);
      this.fault = null;
    } catch (error) {
      this.fault = error;
    }
  }

  get last(): ActivitySampleFragment | null {
    return this.samples.at(-1) ?? null;
  }

  /** The increase of a total per second, between consecutive samples. */
  speedOf(sum: 'stored' | 'analyzed'): number[] {
    return this.samples.slice(1).map((sample, at) => {
      const before = this.samples[at] as ActivitySampleFragment;
      const seconds = (Date.parse(sample.sampledAt) - Date.parse(before.sampledAt)) / 1000;
      return seconds > 0 ? Math.max(0, sample[sum] - before[sum]) / seconds : 0;
    });
  }

  /** The time that the samples cover, in seconds. */
  get seconds(): number {
    const [first] = this.samples;
    return first === undefined ? 0 : (Date.parse(this.last?.sampledAt ?? '') - Date.parse(first.sampledAt)) / 1000;
  }
}
