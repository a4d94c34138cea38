-- Adds the words of new records to the words of the tenant. Records without such a word cost nothing.
CREATE OR REPLACE FUNCTION search_word_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "search_word" ("tenant_id", "word")
    SELECT "tenant_id", word FROM (
      SELECT DISTINCT "tenant_id", word FROM changed, unnest(tsvector_to_array("words")) AS word WHERE "words" <> ''
    ) AS own
    WHERE char_length(word) BETWEEN 4 AND 40 AND word !~ '[0-9&]'
      AND NOT EXISTS (SELECT FROM "search_word" AS known WHERE known."tenant_id" = own."tenant_id" AND known."word" = own.word)
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
