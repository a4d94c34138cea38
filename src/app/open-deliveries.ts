import type { Database } from '../backing/index.ts';
import { createAddressGuard } from '../catalog/index.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../observability/logger.ts';
import { createDeliveries, createEmailSender } from '../webhooks/index.ts';
import type { Deliveries, EndpointRules } from '../webhooks/index.ts';

type Deps = Readonly<{ config: Pick<Config, 'sourceAllow' | 'email'>; database: Database; logger: Logger }>;

/** Opens the deliveries to webhooks, as configured. */
export function openDeliveries({ config, database, logger }: Deps): Deliveries {
  const sendEmail = config.email === null ? null : createEmailSender(config.email);
  return createDeliveries({ database, logger, guard: createAddressGuard(config.sourceAllow), sendEmail });
}

/** Rules for webhook addresses, as configured. */
export function endpointRules({ sourceAllow, email }: Deps['config']): EndpointRules {
  return { guard: createAddressGuard(sourceAllow), sendsEmail: email !== null };
}
