-- Adds the new words of changed records to the words of the tenant.
-- A plan that was made for one row must not compare each of thousands with each.
CREATE OR REPLACE FUNCTION search_word_add_changed() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
  INSERT INTO "search_word" ("tenant_id", "word")
    SELECT DISTINCT changed."tenant_id", word
    FROM changed JOIN former USING ("row_id"), unnest(tsvector_to_array(changed."words")) AS word
    WHERE changed."words" IS DISTINCT FROM former."words"
      AND char_length(word) BETWEEN 4 AND 40 AND word !~ '[0-9&]'
    ORDER BY 1, 2
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
