import { z } from 'zod';
import type { Proxies } from '../lib/proxies.ts';

const address = z.string().optional();

/**
 * The variables about proxies; part of the table in config.ts. Other programs read them, too, so the service starts
 * with any value: a faulty one is reported where a proxy is used.
 */
export const proxyVariables = {
  HTTPS_PROXY: {
    schema: address,
    meaning: 'Proxy for `https:` addresses of Hugging Face, its hub and your endpoints; also as `https_proxy`',
  },
  HTTP_PROXY: { schema: address, meaning: 'The same for `http:` addresses; also as `http_proxy`' },
  NO_PROXY: {
    schema: z.string().default(''),
    meaning: 'Hosts and domains to reach directly, separated by commas; also as `no_proxy`',
  },
} as const satisfies Record<string, { schema: z.ZodType; meaning: string }>;

type Values = { [N in keyof typeof proxyVariables]: z.output<(typeof proxyVariables)[N]['schema']> };

/** Adds values that are set under lowercase names, as is common on many systems. */
export function withSmallNames(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const small = Object.keys(proxyVariables).map((name) => [name, environment[name] ?? environment[name.toLowerCase()]]);
  return { ...environment, ...(Object.fromEntries(small) as Record<string, string | undefined>) };
}

/** Builds the configuration from these variables. */
export function toProxies(values: Values): Proxies {
  const none = values.NO_PROXY.split(/[\s,]+/).filter((item) => item !== '');
  return { https: values.HTTPS_PROXY, http: values.HTTP_PROXY, none };
}
