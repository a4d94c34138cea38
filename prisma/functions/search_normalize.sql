-- Folded words with a space between. U+001F stands between values and becomes a word of its own that no formula can
-- name, so that a phrase does not go on from one value to the next.
CREATE OR REPLACE FUNCTION search_normalize(value TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  folded CONSTANT TEXT := search_fold(value);
BEGIN
  IF octet_length(folded) = char_length(folded) THEN
    RETURN replace(
      regexp_replace(folded, '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007f]+', ' ', 'g'),
      U&'\001F', ' &amp; ');
  END IF;
  RETURN replace(
    regexp_replace(
      folded,
      '[\u0001-\u001e\u0020-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b9-\u02ff\u2000-\u2bff\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\ufe00-\ufe6f\ufff0-\uffff\U0001f000-\U0001faff]+',
      ' ', 'g'),
    U&'\001F', ' &amp; ');
END $$;
