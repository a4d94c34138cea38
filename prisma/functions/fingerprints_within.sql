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
