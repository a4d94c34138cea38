-- Keeps what a statement replaces in records: the former values of what has changed, and deleted records as a whole.
-- The transaction says in `vitrine.operation` on whose behalf it writes: the operation and its key, as in 12:3.
-- Generated from src/catalog/fields.ts by `npm run generate`.
-- A plan that was made for one row must not compare each of thousands with each.
CREATE OR REPLACE FUNCTION image_history() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
  source CONSTANT TEXT[] := string_to_array(NULLIF(current_setting('vitrine.operation', true), ''), ':');
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO image_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT c.tenant_id, c.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'created', jsonb_build_object('image_id', c.image_id) FROM changed c ORDER BY c.row_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO image_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT d.tenant_id, d.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'changed', ('{' || concat_ws(',', d.fields, NULLIF(d.analysis, '')) || '}')::jsonb
    FROM (SELECT c.tenant_id, c.row_id, concat_ws(',',
    CASE WHEN f."src" IS DISTINCT FROM c."src" THEN '"src":' || COALESCE(to_json(f."src")::text, 'null') END,
    CASE WHEN f."src_path" IS DISTINCT FROM c."src_path" THEN '"src_path":' || COALESCE(to_json(f."src_path")::text, 'null') END,
    CASE WHEN f."url_img_watermark" IS DISTINCT FROM c."url_img_watermark" THEN '"url_img_watermark":' || COALESCE(to_json(f."url_img_watermark")::text, 'null') END,
    CASE WHEN f."url_img_thumbnail" IS DISTINCT FROM c."url_img_thumbnail" THEN '"url_img_thumbnail":' || COALESCE(to_json(f."url_img_thumbnail")::text, 'null') END,
    CASE WHEN f."title" IS DISTINCT FROM c."title" THEN '"title":' || COALESCE(to_json(f."title")::text, 'null') END,
    CASE WHEN f."headline" IS DISTINCT FROM c."headline" THEN '"headline":' || COALESCE(to_json(f."headline")::text, 'null') END,
    CASE WHEN f."caption" IS DISTINCT FROM c."caption" THEN '"caption":' || COALESCE(to_json(f."caption")::text, 'null') END,
    CASE WHEN f."alt_text" IS DISTINCT FROM c."alt_text" THEN '"alt_text":' || COALESCE(to_json(f."alt_text")::text, 'null') END,
    CASE WHEN f."ai_generated" IS DISTINCT FROM c."ai_generated" THEN '"ai_generated":' || COALESCE(to_json(f."ai_generated")::text, 'null') END,
    CASE WHEN f."model_release" IS DISTINCT FROM c."model_release" THEN '"model_release":' || COALESCE(to_json(f."model_release")::text, 'null') END,
    CASE WHEN f."property_release" IS DISTINCT FROM c."property_release" THEN '"property_release":' || COALESCE(to_json(f."property_release")::text, 'null') END,
    CASE WHEN f."nsfw" IS DISTINCT FROM c."nsfw" THEN '"nsfw":' || COALESCE(to_json(f."nsfw")::text, 'null') END,
    CASE WHEN f."status" IS DISTINCT FROM c."status" THEN '"status":' || COALESCE(to_json(f."status")::text, 'null') END,
    CASE WHEN f."date" IS DISTINCT FROM c."date" THEN '"date":' || COALESCE(to_json(f."date")::text, 'null') END,
    CASE WHEN f."location" IS DISTINCT FROM c."location" THEN '"location":' || COALESCE(to_json(f."location")::text, 'null') END,
    CASE WHEN f."city" IS DISTINCT FROM c."city" THEN '"city":' || COALESCE(to_json(f."city")::text, 'null') END,
    CASE WHEN f."country" IS DISTINCT FROM c."country" THEN '"country":' || COALESCE(to_json(f."country")::text, 'null') END,
    CASE WHEN f."event" IS DISTINCT FROM c."event" THEN '"event":' || COALESCE(to_json(f."event")::text, 'null') END,
    CASE WHEN f."author" IS DISTINCT FROM c."author" THEN '"author":' || COALESCE(to_json(f."author")::text, 'null') END,
    CASE WHEN f."provider" IS DISTINCT FROM c."provider" THEN '"provider":' || COALESCE(to_json(f."provider")::text, 'null') END,
    CASE WHEN f."shot" IS DISTINCT FROM c."shot" THEN '"shot":' || COALESCE(to_json(f."shot")::text, 'null') END,
    CASE WHEN f."scene" IS DISTINCT FROM c."scene" THEN '"scene":' || COALESCE(to_json(f."scene")::text, 'null') END,
    CASE WHEN f."technique" IS DISTINCT FROM c."technique" THEN '"technique":' || COALESCE(to_json(f."technique")::text, 'null') END,
    CASE WHEN f."medium" IS DISTINCT FROM c."medium" THEN '"medium":' || COALESCE(to_json(f."medium")::text, 'null') END,
    CASE WHEN f."keywords" IS DISTINCT FROM c."keywords" THEN '"keywords":' || COALESCE(to_json(f."keywords")::text, 'null') END,
    CASE WHEN f."categories" IS DISTINCT FROM c."categories" THEN '"categories":' || COALESCE(to_json(f."categories")::text, 'null') END,
    CASE WHEN f."collections" IS DISTINCT FROM c."collections" THEN '"collections":' || COALESCE(to_json(f."collections")::text, 'null') END,
    CASE WHEN f."locked_fields" IS DISTINCT FROM c."locked_fields" THEN '"locked_fields":' || COALESCE(to_json(f."locked_fields")::text, 'null') END,
    CASE WHEN f."refused_keywords" IS DISTINCT FROM c."refused_keywords" THEN '"refused_keywords":' || COALESCE(to_json(f."refused_keywords")::text, 'null') END,
    CASE WHEN f."width" IS DISTINCT FROM c."width" THEN '"width":' || COALESCE(to_json(f."width")::text, 'null') END,
    CASE WHEN f."height" IS DISTINCT FROM c."height" THEN '"height":' || COALESCE(to_json(f."height")::text, 'null') END,
    CASE WHEN f."format" IS DISTINCT FROM c."format" THEN '"format":' || COALESCE(to_json(f."format")::text, 'null') END,
    CASE WHEN f."byte_size" IS DISTINCT FROM c."byte_size" THEN '"byte_size":' || COALESCE(to_json(f."byte_size")::text, 'null') END,
    CASE WHEN f."checksum" IS DISTINCT FROM c."checksum" THEN '"checksum":' || COALESCE(to_json(f."checksum")::text, 'null') END,
    CASE WHEN f."placeholder" IS DISTINCT FROM c."placeholder" THEN '"placeholder":' || COALESCE(to_json(f."placeholder")::text, 'null') END,
    CASE WHEN f."date_start" IS DISTINCT FROM c."date_start" THEN '"date_start":' || COALESCE(to_json(f."date_start")::text, 'null') END,
    CASE WHEN f."date_end" IS DISTINCT FROM c."date_end" THEN '"date_end":' || COALESCE(to_json(f."date_end")::text, 'null') END,
    CASE WHEN f."lang" IS DISTINCT FROM c."lang" THEN '"lang":' || COALESCE(to_json(f."lang")::text, 'null') END,
    CASE WHEN f."n_faces" IS DISTINCT FROM c."n_faces" THEN '"n_faces":' || COALESCE(to_json(f."n_faces")::text, 'null') END,
    CASE WHEN f."ocr" IS DISTINCT FROM c."ocr" THEN '"ocr":' || COALESCE(to_json(f."ocr")::text, 'null') END,
    CASE WHEN f."bw" IS DISTINCT FROM c."bw" THEN '"bw":' || COALESCE(to_json(f."bw")::text, 'null') END,
    CASE WHEN f."colors" IS DISTINCT FROM c."colors" THEN '"colors":' || COALESCE(to_json(f."colors")::text, 'null') END,
    CASE WHEN f."concepts" IS DISTINCT FROM c."concepts" THEN '"concepts":' || COALESCE(to_json(f."concepts")::text, 'null') END,
    CASE WHEN f."duplicate_of" IS DISTINCT FROM c."duplicate_of" THEN '"duplicate_of":' || COALESCE(to_json(f."duplicate_of")::text, 'null') END,
    CASE WHEN f.provenance IS DISTINCT FROM c.provenance THEN (
      SELECT string_agg('"provenance.' || key || '":' || COALESCE(f.provenance -> key, 'null'), ',')
      FROM jsonb_object_keys(COALESCE(f.provenance, '{}') || COALESCE(c.provenance, '{}')) AS key
      WHERE f.provenance -> key IS DISTINCT FROM c.provenance -> key) END) AS fields,
      CASE WHEN c.ai_status IS NULL OR c.ai_status = 'pending' OR f."checksum" IS DISTINCT FROM c."checksum"
    THEN concat_ws(',',
    CASE WHEN f."ai_status" IS DISTINCT FROM c."ai_status" THEN '"ai_status":' || COALESCE(to_json(f."ai_status")::text, 'null') END) END AS analysis
      FROM former f JOIN changed c USING (row_id) OFFSET 0) AS d
    WHERE d.fields <> '' ORDER BY d.row_id;
  ELSE
    INSERT INTO image_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT f.tenant_id, f.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'deleted', ('{' || concat_ws(',',
    '"row_id":' || to_json(f."row_id"),
    '"image_id":' || to_json(f."image_id"),
    '"created_at":' || to_json(f."created_at"),
    '"updated_at":' || to_json(f."updated_at"),
    '"src":' || to_json(f."src"),
    '"src_path":' || to_json(f."src_path"),
    '"url_img_watermark":' || to_json(f."url_img_watermark"),
    '"url_img_thumbnail":' || to_json(f."url_img_thumbnail"),
    '"title":' || to_json(f."title"),
    '"headline":' || to_json(f."headline"),
    '"caption":' || to_json(f."caption"),
    '"alt_text":' || to_json(f."alt_text"),
    '"ai_generated":' || to_json(f."ai_generated"),
    '"model_release":' || to_json(f."model_release"),
    '"property_release":' || to_json(f."property_release"),
    '"nsfw":' || to_json(f."nsfw"),
    '"status":' || to_json(f."status"),
    '"date":' || to_json(f."date"),
    '"location":' || to_json(f."location"),
    '"city":' || to_json(f."city"),
    '"country":' || to_json(f."country"),
    '"event":' || to_json(f."event"),
    '"author":' || to_json(f."author"),
    '"provider":' || to_json(f."provider"),
    '"shot":' || to_json(f."shot"),
    '"scene":' || to_json(f."scene"),
    '"technique":' || to_json(f."technique"),
    '"medium":' || to_json(f."medium"),
    '"keywords":' || to_json(f."keywords"),
    '"categories":' || to_json(f."categories"),
    '"collections":' || to_json(f."collections"),
    '"locked_fields":' || to_json(f."locked_fields"),
    '"refused_keywords":' || to_json(f."refused_keywords"),
    '"width":' || to_json(f."width"),
    '"height":' || to_json(f."height"),
    '"format":' || to_json(f."format"),
    '"byte_size":' || to_json(f."byte_size"),
    '"checksum":' || to_json(f."checksum"),
    '"placeholder":' || to_json(f."placeholder"),
    '"ai_status":' || to_json(f."ai_status"),
    '"date_start":' || to_json(f."date_start"),
    '"date_end":' || to_json(f."date_end"),
    '"lang":' || to_json(f."lang"),
    '"n_faces":' || to_json(f."n_faces"),
    '"ocr":' || to_json(f."ocr"),
    '"bw":' || to_json(f."bw"),
    '"colors":' || to_json(f."colors"),
    '"concepts":' || to_json(f."concepts"),
    '"duplicate_of":' || to_json(f."duplicate_of"),
    (SELECT string_agg('"provenance.' || key || '":' || value, ',') FROM jsonb_each(f.provenance))) || '}')::jsonb
    FROM former f JOIN tenant t ON t.id = f.tenant_id ORDER BY f.row_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER image_history_created AFTER INSERT ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_history();
CREATE OR REPLACE TRIGGER image_history_changed AFTER UPDATE ON "image"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION image_history();
CREATE OR REPLACE TRIGGER image_history_deleted AFTER DELETE ON "image"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION image_history();

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

-- Keeps what a statement replaces in records: the former values of what has changed, and deleted records as a whole.
-- The transaction says in `vitrine.operation` on whose behalf it writes: the operation and its key, as in 12:3.
-- Generated from src/catalog/fields.ts by `npm run generate`.
-- A plan that was made for one row must not compare each of thousands with each.
CREATE OR REPLACE FUNCTION video_history() RETURNS TRIGGER LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
  source CONSTANT TEXT[] := string_to_array(NULLIF(current_setting('vitrine.operation', true), ''), ':');
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO video_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT c.tenant_id, c.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'created', jsonb_build_object('video_id', c.video_id) FROM changed c ORDER BY c.row_id;
  ELSIF TG_OP = 'UPDATE' THEN
    INSERT INTO video_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT d.tenant_id, d.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'changed', ('{' || concat_ws(',', d.fields, NULLIF(d.analysis, '')) || '}')::jsonb
    FROM (SELECT c.tenant_id, c.row_id, concat_ws(',',
    CASE WHEN f."src" IS DISTINCT FROM c."src" THEN '"src":' || COALESCE(to_json(f."src")::text, 'null') END,
    CASE WHEN f."src_path" IS DISTINCT FROM c."src_path" THEN '"src_path":' || COALESCE(to_json(f."src_path")::text, 'null') END,
    CASE WHEN f."thumbnail_url" IS DISTINCT FROM c."thumbnail_url" THEN '"thumbnail_url":' || COALESCE(to_json(f."thumbnail_url")::text, 'null') END,
    CASE WHEN f."preview_url" IS DISTINCT FROM c."preview_url" THEN '"preview_url":' || COALESCE(to_json(f."preview_url")::text, 'null') END,
    CASE WHEN f."img_src" IS DISTINCT FROM c."img_src" THEN '"img_src":' || COALESCE(to_json(f."img_src")::text, 'null') END,
    CASE WHEN f."img_zoom" IS DISTINCT FROM c."img_zoom" THEN '"img_zoom":' || COALESCE(to_json(f."img_zoom")::text, 'null') END,
    CASE WHEN f."title" IS DISTINCT FROM c."title" THEN '"title":' || COALESCE(to_json(f."title")::text, 'null') END,
    CASE WHEN f."headline" IS DISTINCT FROM c."headline" THEN '"headline":' || COALESCE(to_json(f."headline")::text, 'null') END,
    CASE WHEN f."description" IS DISTINCT FROM c."description" THEN '"description":' || COALESCE(to_json(f."description")::text, 'null') END,
    CASE WHEN f."alt_text" IS DISTINCT FROM c."alt_text" THEN '"alt_text":' || COALESCE(to_json(f."alt_text")::text, 'null') END,
    CASE WHEN f."ai_generated" IS DISTINCT FROM c."ai_generated" THEN '"ai_generated":' || COALESCE(to_json(f."ai_generated")::text, 'null') END,
    CASE WHEN f."model_release" IS DISTINCT FROM c."model_release" THEN '"model_release":' || COALESCE(to_json(f."model_release")::text, 'null') END,
    CASE WHEN f."property_release" IS DISTINCT FROM c."property_release" THEN '"property_release":' || COALESCE(to_json(f."property_release")::text, 'null') END,
    CASE WHEN f."nsfw" IS DISTINCT FROM c."nsfw" THEN '"nsfw":' || COALESCE(to_json(f."nsfw")::text, 'null') END,
    CASE WHEN f."status" IS DISTINCT FROM c."status" THEN '"status":' || COALESCE(to_json(f."status")::text, 'null') END,
    CASE WHEN f."date" IS DISTINCT FROM c."date" THEN '"date":' || COALESCE(to_json(f."date")::text, 'null') END,
    CASE WHEN f."location" IS DISTINCT FROM c."location" THEN '"location":' || COALESCE(to_json(f."location")::text, 'null') END,
    CASE WHEN f."city" IS DISTINCT FROM c."city" THEN '"city":' || COALESCE(to_json(f."city")::text, 'null') END,
    CASE WHEN f."country" IS DISTINCT FROM c."country" THEN '"country":' || COALESCE(to_json(f."country")::text, 'null') END,
    CASE WHEN f."event" IS DISTINCT FROM c."event" THEN '"event":' || COALESCE(to_json(f."event")::text, 'null') END,
    CASE WHEN f."author" IS DISTINCT FROM c."author" THEN '"author":' || COALESCE(to_json(f."author")::text, 'null') END,
    CASE WHEN f."provider" IS DISTINCT FROM c."provider" THEN '"provider":' || COALESCE(to_json(f."provider")::text, 'null') END,
    CASE WHEN f."medium" IS DISTINCT FROM c."medium" THEN '"medium":' || COALESCE(to_json(f."medium")::text, 'null') END,
    CASE WHEN f."keywords" IS DISTINCT FROM c."keywords" THEN '"keywords":' || COALESCE(to_json(f."keywords")::text, 'null') END,
    CASE WHEN f."categories" IS DISTINCT FROM c."categories" THEN '"categories":' || COALESCE(to_json(f."categories")::text, 'null') END,
    CASE WHEN f."collections" IS DISTINCT FROM c."collections" THEN '"collections":' || COALESCE(to_json(f."collections")::text, 'null') END,
    CASE WHEN f."locked_fields" IS DISTINCT FROM c."locked_fields" THEN '"locked_fields":' || COALESCE(to_json(f."locked_fields")::text, 'null') END,
    CASE WHEN f."refused_keywords" IS DISTINCT FROM c."refused_keywords" THEN '"refused_keywords":' || COALESCE(to_json(f."refused_keywords")::text, 'null') END,
    CASE WHEN f."container" IS DISTINCT FROM c."container" THEN '"container":' || COALESCE(to_json(f."container")::text, 'null') END,
    CASE WHEN f."codec_video" IS DISTINCT FROM c."codec_video" THEN '"codec_video":' || COALESCE(to_json(f."codec_video")::text, 'null') END,
    CASE WHEN f."codec_audio" IS DISTINCT FROM c."codec_audio" THEN '"codec_audio":' || COALESCE(to_json(f."codec_audio")::text, 'null') END,
    CASE WHEN f."width" IS DISTINCT FROM c."width" THEN '"width":' || COALESCE(to_json(f."width")::text, 'null') END,
    CASE WHEN f."height" IS DISTINCT FROM c."height" THEN '"height":' || COALESCE(to_json(f."height")::text, 'null') END,
    CASE WHEN f."fps" IS DISTINCT FROM c."fps" THEN '"fps":' || COALESCE(to_json(f."fps")::text, 'null') END,
    CASE WHEN f."duration_secs" IS DISTINCT FROM c."duration_secs" THEN '"duration_secs":' || COALESCE(to_json(f."duration_secs")::text, 'null') END,
    CASE WHEN f."byte_size" IS DISTINCT FROM c."byte_size" THEN '"byte_size":' || COALESCE(to_json(f."byte_size")::text, 'null') END,
    CASE WHEN f."bytes_read" IS DISTINCT FROM c."bytes_read" THEN '"bytes_read":' || COALESCE(to_json(f."bytes_read")::text, 'null') END,
    CASE WHEN f."reading" IS DISTINCT FROM c."reading" THEN '"reading":' || COALESCE(to_json(f."reading")::text, 'null') END,
    CASE WHEN f."poster" IS DISTINCT FROM c."poster" THEN '"poster":' || COALESCE(to_json(f."poster")::text, 'null') END,
    CASE WHEN f."date_start" IS DISTINCT FROM c."date_start" THEN '"date_start":' || COALESCE(to_json(f."date_start")::text, 'null') END,
    CASE WHEN f."date_end" IS DISTINCT FROM c."date_end" THEN '"date_end":' || COALESCE(to_json(f."date_end")::text, 'null') END,
    CASE WHEN f."lang" IS DISTINCT FROM c."lang" THEN '"lang":' || COALESCE(to_json(f."lang")::text, 'null') END,
    CASE WHEN f."checksum" IS DISTINCT FROM c."checksum" THEN '"checksum":' || COALESCE(to_json(f."checksum")::text, 'null') END,
    CASE WHEN f."n_faces" IS DISTINCT FROM c."n_faces" THEN '"n_faces":' || COALESCE(to_json(f."n_faces")::text, 'null') END,
    CASE WHEN f."ocr" IS DISTINCT FROM c."ocr" THEN '"ocr":' || COALESCE(to_json(f."ocr")::text, 'null') END,
    CASE WHEN f."bw" IS DISTINCT FROM c."bw" THEN '"bw":' || COALESCE(to_json(f."bw")::text, 'null') END,
    CASE WHEN f."colors" IS DISTINCT FROM c."colors" THEN '"colors":' || COALESCE(to_json(f."colors")::text, 'null') END,
    CASE WHEN f."concepts" IS DISTINCT FROM c."concepts" THEN '"concepts":' || COALESCE(to_json(f."concepts")::text, 'null') END,
    CASE WHEN f.provenance IS DISTINCT FROM c.provenance THEN (
      SELECT string_agg('"provenance.' || key || '":' || COALESCE(f.provenance -> key, 'null'), ',')
      FROM jsonb_object_keys(COALESCE(f.provenance, '{}') || COALESCE(c.provenance, '{}')) AS key
      WHERE f.provenance -> key IS DISTINCT FROM c.provenance -> key) END) AS fields,
      CASE WHEN c.ai_status IS NULL OR c.ai_status = 'pending' OR f."reading" IS DISTINCT FROM c."reading"
    THEN concat_ws(',',
    CASE WHEN f."ai_status" IS DISTINCT FROM c."ai_status" THEN '"ai_status":' || COALESCE(to_json(f."ai_status")::text, 'null') END,
    CASE WHEN f."ai_reason" IS DISTINCT FROM c."ai_reason" THEN '"ai_reason":' || COALESCE(to_json(f."ai_reason")::text, 'null') END) END AS analysis
      FROM former f JOIN changed c USING (row_id) OFFSET 0) AS d
    WHERE d.fields <> '' ORDER BY d.row_id;
  ELSE
    INSERT INTO video_change (tenant_id, row_id, operation_id, api_key_id, action, before)
    SELECT f.tenant_id, f.row_id, source[1]::bigint, NULLIF(source[2], '')::integer, 'deleted', ('{' || concat_ws(',',
    '"row_id":' || to_json(f."row_id"),
    '"video_id":' || to_json(f."video_id"),
    '"created_at":' || to_json(f."created_at"),
    '"updated_at":' || to_json(f."updated_at"),
    '"src":' || to_json(f."src"),
    '"src_path":' || to_json(f."src_path"),
    '"thumbnail_url":' || to_json(f."thumbnail_url"),
    '"preview_url":' || to_json(f."preview_url"),
    '"img_src":' || to_json(f."img_src"),
    '"img_zoom":' || to_json(f."img_zoom"),
    '"title":' || to_json(f."title"),
    '"headline":' || to_json(f."headline"),
    '"description":' || to_json(f."description"),
    '"alt_text":' || to_json(f."alt_text"),
    '"ai_generated":' || to_json(f."ai_generated"),
    '"model_release":' || to_json(f."model_release"),
    '"property_release":' || to_json(f."property_release"),
    '"nsfw":' || to_json(f."nsfw"),
    '"status":' || to_json(f."status"),
    '"date":' || to_json(f."date"),
    '"location":' || to_json(f."location"),
    '"city":' || to_json(f."city"),
    '"country":' || to_json(f."country"),
    '"event":' || to_json(f."event"),
    '"author":' || to_json(f."author"),
    '"provider":' || to_json(f."provider"),
    '"medium":' || to_json(f."medium"),
    '"keywords":' || to_json(f."keywords"),
    '"categories":' || to_json(f."categories"),
    '"collections":' || to_json(f."collections"),
    '"locked_fields":' || to_json(f."locked_fields"),
    '"refused_keywords":' || to_json(f."refused_keywords"),
    '"container":' || to_json(f."container"),
    '"codec_video":' || to_json(f."codec_video"),
    '"codec_audio":' || to_json(f."codec_audio"),
    '"width":' || to_json(f."width"),
    '"height":' || to_json(f."height"),
    '"fps":' || to_json(f."fps"),
    '"duration_secs":' || to_json(f."duration_secs"),
    '"byte_size":' || to_json(f."byte_size"),
    '"bytes_read":' || to_json(f."bytes_read"),
    '"reading":' || to_json(f."reading"),
    '"poster":' || to_json(f."poster"),
    '"ai_status":' || to_json(f."ai_status"),
    '"ai_reason":' || to_json(f."ai_reason"),
    '"date_start":' || to_json(f."date_start"),
    '"date_end":' || to_json(f."date_end"),
    '"lang":' || to_json(f."lang"),
    '"checksum":' || to_json(f."checksum"),
    '"n_faces":' || to_json(f."n_faces"),
    '"ocr":' || to_json(f."ocr"),
    '"bw":' || to_json(f."bw"),
    '"colors":' || to_json(f."colors"),
    '"concepts":' || to_json(f."concepts"),
    (SELECT string_agg('"provenance.' || key || '":' || value, ',') FROM jsonb_each(f.provenance))) || '}')::jsonb
    FROM former f JOIN tenant t ON t.id = f.tenant_id ORDER BY f.row_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_history_created AFTER INSERT ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_history();
CREATE OR REPLACE TRIGGER video_history_changed AFTER UPDATE ON "video"
  REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION video_history();
CREATE OR REPLACE TRIGGER video_history_deleted AFTER DELETE ON "video"
  REFERENCING OLD TABLE AS former FOR EACH STATEMENT EXECUTE FUNCTION video_history();
