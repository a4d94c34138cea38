-- Where the days of a tenant's formulas begin; null is UTC.
ALTER TABLE "tenant" ADD COLUMN "time_zone" TEXT;
