-- What image_top_words_idx has the forms of a word under, from a level on.
CREATE OR REPLACE FUNCTION search_top_word_keys(tenant INTEGER, forms TSQUERY, lowest INTEGER) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN ARRAY(
  SELECT tenant || '~' || level || '~' || lexeme
  FROM unnest(search_lexemes(forms)) AS lexeme, generate_series(lowest, 11) AS level);
