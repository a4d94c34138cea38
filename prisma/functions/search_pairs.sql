-- Two of the forms together, whose weights add up; null for one form.
CREATE OR REPLACE FUNCTION search_pairs(forms TSQUERY) RETURNS TSQUERY
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT string_agg('''' || one || ''' & ''' || other || '''', ' | ')
  FROM unnest(search_lexemes(forms)) AS one, unnest(search_lexemes(forms)) AS other WHERE one < other)::tsquery;
