-- The forms of a word, or null where they are more than words joined by OR.
CREATE OR REPLACE FUNCTION search_lexemes(forms TSQUERY) RETURNS TEXT[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN forms::text ~ '^''[^''\\ &]+''( \| ''[^''\\ &]+'')*$'
  THEN string_to_array(replace(forms::text, '''', ''), ' | ') END;
