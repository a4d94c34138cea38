-- The hash of a fingerprint as bits; null without hashes that can be compared.
CREATE OR REPLACE FUNCTION fingerprint_bits(pdq BYTEA, regions BYTEA) RETURNS BIT(256)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(pdq) = 32 AND octet_length(regions) = 160 THEN ('x' || encode(pdq, 'hex'))::bit(256) END
$$;
