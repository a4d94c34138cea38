-- The plural of a short Spanish or Portuguese singular, or the other way round, where stemmers keep both: isla and islas, luz and
-- luces. Null for other words.
CREATE OR REPLACE FUNCTION search_other_number(lang TEXT, word TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF lang NOT IN ('es', 'pt') THEN
    RETURN NULL;
  ELSIF word ~ '^([aeiou][^aeiou]+|[^aeiou][aeiou])[aeiou]s$' THEN
    RETURN left(word, -1);
  ELSIF word ~ '^([aeiou][^aeiou]+|[^aeiou][aeiou])[aeiou]$' THEN
    RETURN word || 's';
  ELSIF lang = 'es' AND word ~ '[aeiou]ces$' THEN
    RETURN left(word, -3) || 'z';
  ELSIF lang = 'es' AND word ~ '[aeiou]z$' THEN
    RETURN left(word, -1) || 'ces';
  END IF;
  RETURN NULL;
END $$;
