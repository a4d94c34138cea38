-- `name=value` tokens of a text of such, in which U+001F stands between them; long ones are cut.
CREATE OR REPLACE FUNCTION search_terms(pairs TEXT) RETURNS TEXT[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  terms TEXT[] := string_to_array(search_fold(pairs), U&'\001F');
BEGIN
  IF char_length(pairs) > 240 THEN
    RETURN ARRAY(SELECT left(term, 240) FROM unnest(terms) AS term);
  END IF;
  RETURN terms;
END $$;
