-- The best answers to one word without a look at every record that holds it: an index of the words that weigh much in a
-- record, by how much. A record that is not in it under a word answers that word worse than all that are.
-- Building it takes about a minute for a million records; others can read meanwhile and not write.

-- The levels that src/search/best-answers.ts asks for. Among 20 words and more only those of weight A (title, headline)
-- reach the first: a word of weight B has at most 0.4 / log2(21).
CREATE FUNCTION search_tops(tenant INTEGER, stems TSVECTOR) RETURNS TEXT[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  levels CONSTANT FLOAT4[] := '{0.1, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18, 0.2, 0.23}';
  heavy CONSTANT TSVECTOR := CASE WHEN length(stems) < 20 THEN stems ELSE ts_filter(stems, '{a}') END;
  tops TEXT[] := '{}';
  lexeme TEXT;
  level INTEGER;
BEGIN
  FOREACH lexeme IN ARRAY tsvector_to_array(heavy) LOOP
    level := width_bucket(ts_rank(stems, quote_literal(lexeme)::tsquery, 1), levels);
    IF level > 0 AND lexeme <> 'IF level > 0 THENamp;' THEN
      tops := tops || (tenant || '~' || level || '~' || lexeme);
    END IF;
  END LOOP;
  RETURN tops;
END $$;

-- The forms of a word, or null where they are more than words joined by OR.
CREATE FUNCTION search_lexemes(forms TSQUERY) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN forms::text ~ '^''[^''\\ &]+''( \| ''[^''\\ &]+'')*$'
  THEN string_to_array(replace(forms::text, '''', ''), ' | ') END;

-- What the index has the forms of a word under, from a level on.
CREATE FUNCTION search_tops_of(tenant INTEGER, forms TSQUERY, lowest INTEGER) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT tenant || '~' || level || '~' || lexeme
  FROM unnest(search_lexemes(forms)) AS lexeme, generate_series(lowest, 11) AS level);

-- Two of the forms together, whose weights add up; null for one form.
CREATE FUNCTION search_pairs(forms TSQUERY) RETURNS TSQUERY
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT string_agg('''' || one || ''' & ''' || other || '''', ' | ')
  FROM unnest(search_lexemes(forms)) AS one, unnest(search_lexemes(forms)) AS other WHERE one < other)::tsquery;

CREATE INDEX "image_tops_idx" ON "image" USING GIN (search_tops("tenant_id", "stems"));
