-- The number of a tenant's records that have one of the forms of a word, or null if no total says it: what word_total and
-- word_change have of the common ones among the forms, and those records that have only others, which are few.
CREATE OR REPLACE FUNCTION word_total_of(tenant INTEGER, kind OPERATION_RESOURCE, forms TSQUERY) RETURNS BIGINT
LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
  stems TEXT[];
  common TEXT[];
  rare TEXT[];
  total BIGINT;
  others BIGINT := 0;
BEGIN
  -- Most tenants have no totals.
  IF NOT EXISTS (SELECT FROM word_total WHERE tenant_id = tenant AND resource = kind) THEN
    RETURN NULL;
  END IF;
  stems := search_lexemes(forms);
  SELECT array_agg(words ORDER BY words COLLATE "C") INTO common
    FROM word_total WHERE tenant_id = tenant AND resource = kind AND words = ANY (stems);
  IF common IS NULL THEN
    RETURN NULL;
  END IF;
  SELECT t.count + COALESCE((
      SELECT sum(c.count) FROM word_change w, unnest(w.words, w.counts) AS c (words, count)
      WHERE w.tenant_id = tenant AND w.resource = kind AND c.words = t.words
    ), 0) INTO total
    FROM word_total t
    WHERE t.tenant_id = tenant AND t.resource = kind AND t.words = array_to_string(common, ' ') AND t.is_ready;
  rare := ARRAY(SELECT unnest(stems) EXCEPT SELECT unnest(common));
  IF total IS NOT NULL AND rare <> '{}' THEN
    EXECUTE format('SELECT count(*) FROM %I WHERE tenant_id = $1 AND stems @@ $2', kind) INTO others
      USING tenant, format('(''%s'') & !(''%s'')', array_to_string(rare, ''' | '''), array_to_string(common, ''' | '''))::tsquery;
  END IF;
  RETURN total + others;
END $$;
