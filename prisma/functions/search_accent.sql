-- Stemmers know the commonest Spanish and Portuguese ending by its accent, which folding took off.
CREATE OR REPLACE FUNCTION search_accent(lang TEXT, clean TEXT) RETURNS TEXT
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  IF lang = 'es' AND clean LIKE '%ion%' THEN
    RETURN regexp_replace(clean, '([cs])ion(?= |$)', '\1ión', 'g');
  ELSIF lang = 'pt' AND clean ~ 'cao|coes' THEN
    RETURN regexp_replace(regexp_replace(clean, 'cao(?= |$)', 'ção', 'g'), 'coes(?= |$)', 'ções', 'g');
  END IF;
  RETURN clean;
END $$;
