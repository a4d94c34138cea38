-- The stems of one value, by the rules of a language.
CREATE OR REPLACE FUNCTION search_stems_of(lang TEXT, value TEXT) RETURNS TSVECTOR
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN search_stem(lang, search_normalize(value));
END $$;
