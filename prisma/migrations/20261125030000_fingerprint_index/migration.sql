-- CreateTable
CREATE TABLE "fingerprint_index" (
    "tenant_id" INTEGER NOT NULL,
    "since" xid8,
    "filled_to" BIGINT NOT NULL DEFAULT 0,
    "filled" BIGINT NOT NULL DEFAULT 0,
    "total" BIGINT NOT NULL DEFAULT 0,
    "ready_at" TIMESTAMPTZ(3),

    CONSTRAINT "fingerprint_index_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "fingerprint_hash" (
    "row_id" BIGINT NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "pdq" BIT(256) NOT NULL,

    CONSTRAINT "fingerprint_hash_pkey" PRIMARY KEY ("row_id")
);

-- AddForeignKey
ALTER TABLE "fingerprint_index" ADD CONSTRAINT "fingerprint_index_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Two hashes within so many bits differ little in one of these parts.
CREATE INDEX "fingerprint_hash_part_1" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 1, 23))::integer));
CREATE INDEX "fingerprint_hash_part_2" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 24, 23))::integer));
CREATE INDEX "fingerprint_hash_part_3" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 47, 23))::integer));
CREATE INDEX "fingerprint_hash_part_4" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 70, 23))::integer));
CREATE INDEX "fingerprint_hash_part_5" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 93, 23))::integer));
CREATE INDEX "fingerprint_hash_part_6" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 116, 23))::integer));
CREATE INDEX "fingerprint_hash_part_7" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 139, 23))::integer));
CREATE INDEX "fingerprint_hash_part_8" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 162, 23))::integer));
CREATE INDEX "fingerprint_hash_part_9" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 185, 23))::integer));
CREATE INDEX "fingerprint_hash_part_10" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 208, 23))::integer));
CREATE INDEX "fingerprint_hash_part_11" ON "fingerprint_hash" ("tenant_id", ((substring("pdq", 231, 23))::integer));

-- The hash of a fingerprint as bits; null without hashes that can be compared.
CREATE OR REPLACE FUNCTION fingerprint_bits(pdq BYTEA, regions BYTEA) RETURNS BIT(256)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(pdq) = 32 AND octet_length(regions) = 160 THEN ('x' || encode(pdq, 'hex'))::bit(256) END
$$;

-- Notes which fingerprints of images changed, for the indexes in memory, and keeps the index in the database up to date for
-- tenants that have one.
CREATE OR REPLACE FUNCTION fingerprint_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fingerprint_change (tenant_id, row_id) SELECT tenant_id, row_id FROM changed;
  IF TG_OP = 'DELETE' THEN
    DELETE FROM fingerprint_hash WHERE row_id IN (SELECT row_id FROM changed);
    RETURN NULL;
  END IF;
  IF NOT EXISTS (SELECT FROM fingerprint_index WHERE tenant_id IN (SELECT tenant_id FROM changed)) THEN
    RETURN NULL;
  END IF;
  DELETE FROM fingerprint_hash h USING changed c WHERE h.row_id = c.row_id AND fingerprint_bits(c.pdq, c.regions) IS NULL;
  INSERT INTO fingerprint_hash AS h (row_id, tenant_id, pdq)
    SELECT c.row_id, c.tenant_id, fingerprint_bits(c.pdq, c.regions) FROM changed c JOIN fingerprint_index USING (tenant_id)
    WHERE fingerprint_bits(c.pdq, c.regions) IS NOT NULL ORDER BY c.row_id
    ON CONFLICT (row_id) DO UPDATE SET pdq = EXCLUDED.pdq WHERE h.pdq <> EXCLUDED.pdq;
  RETURN NULL;
END $$;

-- The images of a tenant whose hash differs from one of some (`x` and 64 hexadecimal digits) in at most so many bits, and in
-- how many. `masks` are the differences of 23 bits to look for, `counts` how many of them in each of the 11 parts: see
-- similarity/database/hash-parts.ts. The settings keep the planner from reading the whole table before its first ANALYZE.
CREATE OR REPLACE FUNCTION fingerprints_within(
  tenant INTEGER, hashes TEXT[], masks INTEGER[], counts INTEGER[], most INTEGER
) RETURNS TABLE (id BIGINT, distance INTEGER) LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET jit = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
    SELECT near.row_id, min(near.bits)::integer FROM (
      SELECT found.row_id, bit_count(found.pdq # asked.bits) AS bits
      FROM (SELECT hash::bit(256) AS bits FROM unnest(hashes) AS hash) AS asked, LATERAL (
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 1, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 1, 23)::integer # mask FROM unnest(masks[1:counts[1]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 24, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 24, 23)::integer # mask FROM unnest(masks[1:counts[2]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 47, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 47, 23)::integer # mask FROM unnest(masks[1:counts[3]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 70, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 70, 23)::integer # mask FROM unnest(masks[1:counts[4]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 93, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 93, 23)::integer # mask FROM unnest(masks[1:counts[5]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 116, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 116, 23)::integer # mask FROM unnest(masks[1:counts[6]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 139, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 139, 23)::integer # mask FROM unnest(masks[1:counts[7]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 162, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 162, 23)::integer # mask FROM unnest(masks[1:counts[8]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 185, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 185, 23)::integer # mask FROM unnest(masks[1:counts[9]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 208, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 208, 23)::integer # mask FROM unnest(masks[1:counts[10]]) AS mask))
        UNION ALL
        SELECT h.row_id, h.pdq FROM fingerprint_hash h WHERE h.tenant_id = tenant AND substring(h.pdq, 231, 23)::integer
          = ANY (ARRAY(SELECT substring(asked.bits, 231, 23)::integer # mask FROM unnest(masks[1:counts[11]]) AS mask))
      ) AS found
    ) AS near WHERE near.bits <= most GROUP BY near.row_id;
END $$;
