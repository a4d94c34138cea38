import { analyzerOptions, openImageAnalyzer } from '../analysis/index.ts';
import type { ImageAnalyzer } from '../analysis/index.ts';
import type { Database } from '../backing/index.ts';
import type { Config } from '../config/config.ts';
import type { ActiveTenants } from '../lib/active-tenants.ts';
import type { Answers } from '../lib/answers.ts';
import type { Logger } from '../observability/logger.ts';
import { createCaptionRules, createModelBudget } from '../tenants/index.ts';

type Shared = Readonly<{ database: Database; logger: Logger; answers?: Answers; activeTenants?: ActiveTenants }>;

/** Opens the configured image analyzer; it calls models within the budgets of tenants, and captions by their rules. */
export function openAnalyzer(config: Config, { database, ...shared }: Shared): ImageAnalyzer {
  const spend = createModelBudget(database, config.ai.prices);
  const captionRules = createCaptionRules(database);
  return openImageAnalyzer({ ...analyzerOptions(config), spend, captionRules, ...shared });
}
