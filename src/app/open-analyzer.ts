import { analyzerOptions, openImageAnalyzer } from '../analysis/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import type { Database } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { createModelBudget } from '../tenants/index.ts';

type Shared = Readonly<{ database: Database; logger: Logger; answers?: Answers; activeTenants?: ActiveTenants }>;

/** The configured image analyzer; what it calls elsewhere counts against the budgets of the tenants. */
export function openAnalyzer(config: Config, { database, ...shared }: Shared): ImageAnalyzer {
  const spend = createModelBudget(database, config.ai.prices);
  return openImageAnalyzer({ ...analyzerOptions(config), spend, ...shared });
}
