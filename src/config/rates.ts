/** Classes of requests with separate limits. */
export const rateClasses = ['read', 'write', 'tag', 'query_image'] as const;

export type RateClass = (typeof rateClasses)[number];

/** A number of requests per window. */
export type Rate = Readonly<{ requests: number; seconds: number }>;

export type Rates = Readonly<Partial<Record<RateClass, Rate>>>;

const units: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, day: 86_400 };

/** Reads a rate such as `600/min`; null for anything else. */
export function parseRate(text: string): Rate | null {
  const [, requests = '', unit = ''] = /^([1-9]\d{0,8})\/(s|min|h|day)$/.exec(text) ?? [];
  const seconds = units[unit];
  return seconds === undefined ? null : { requests: Number(requests), seconds };
}
