-- Largest PDQ distances of i=== and i==, such as 10,31; null is the default.
ALTER TABLE "tenant" ADD COLUMN "duplicate_distances" TEXT;
