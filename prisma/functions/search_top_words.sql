-- The words of a record that weigh much, each with its tenant and level, as image_top_words_idx has them. The levels are those of
-- best-answers.ts. Among 20 words and more only those of weight A (title, headline) reach the first: a word of
-- weight B has at most 0.4 / log2(21).
CREATE OR REPLACE FUNCTION search_top_words(tenant INTEGER, stems TSVECTOR) RETURNS TEXT[]
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
    IF level > 0 AND lexeme <> '&amp;' THEN
      tops := tops || (tenant || '~' || level || '~' || lexeme);
    END IF;
  END LOOP;
  RETURN tops;
END $$;
