-- The words of one value, as formulas that name a field compare them.
CREATE OR REPLACE FUNCTION search_words_of(value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN to_tsvector('search_words', search_normalize(value));
END $$;
