-- Identifiers are compared byte by byte (COLLATE "C"): the order of ties must not depend on the
-- locale of the machine.

CREATE TYPE "role" AS ENUM ('viewer', 'tagger', 'editor', 'admin');
CREATE TYPE "language" AS ENUM ('en', 'es', 'pt', 'fr', 'ru');
CREATE TYPE "operation_method" AS ENUM ('add', 'upd', 'del', 'multiple');
CREATE TYPE "operation_resource" AS ENUM ('video', 'image', 'celebs');
CREATE TYPE "operation_state" AS ENUM ('queued', 'running', 'aborting', 'finished');

CREATE TABLE "tenant" (
  "id" SERIAL PRIMARY KEY,
  "name" TEXT NOT NULL,
  "search_verify" BOOLEAN NOT NULL DEFAULT false,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "tenant_name_key" ON "tenant" ("name");

CREATE TABLE "api_key" (
  "id" SERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "name" TEXT NOT NULL,
  "prefix" TEXT NOT NULL,
  "hash" BYTEA NOT NULL,
  "role" "role" NOT NULL,
  "expires_at" TIMESTAMPTZ(3),
  "revoked_at" TIMESTAMPTZ(3),
  "last_used_at" TIMESTAMPTZ(3),
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key" ("hash");
CREATE INDEX "api_key_tenant_id_idx" ON "api_key" ("tenant_id");

CREATE TABLE "image" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "image_id" TEXT COLLATE "C" NOT NULL,
  "src" TEXT,
  "src_path" TEXT,
  "url_img_watermark" TEXT,
  "url_img_thumbnail" TEXT,
  "title" TEXT,
  "headline" TEXT,
  "caption" TEXT,
  "alt_text" TEXT,
  "ai_generated" BOOLEAN,
  "model_release" BOOLEAN,
  "property_release" BOOLEAN,
  "nsfw" BOOLEAN,
  "status" TEXT,
  "date" TEXT,
  "date_start" DATE,
  "date_end" DATE,
  "location" TEXT,
  "city" TEXT,
  "country" TEXT,
  "event" TEXT,
  "author" TEXT,
  "provider" TEXT,
  "shot" TEXT,
  "scene" TEXT,
  "technique" TEXT,
  "medium" TEXT,
  "keywords" TEXT[],
  "categories" TEXT[],
  "collections" TEXT[],
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "n_faces" INTEGER,
  "lang" "language" NOT NULL,
  "format" TEXT NOT NULL,
  "byte_size" BIGINT NOT NULL,
  "checksum" BYTEA NOT NULL,
  "provenance" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "image_tenant_id_image_id_key" ON "image" ("tenant_id", "image_id");
CREATE INDEX "image_tenant_id_created_at_image_id_idx" ON "image" ("tenant_id", "created_at" DESC, "image_id");

CREATE TABLE "video" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "video_id" TEXT COLLATE "C" NOT NULL,
  "src" TEXT,
  "src_path" TEXT,
  "thumbnail_url" TEXT,
  "preview_url" TEXT,
  "img_src" TEXT,
  "img_zoom" TEXT,
  "title" TEXT,
  "headline" TEXT,
  "description" TEXT,
  "alt_text" TEXT,
  "ai_generated" BOOLEAN,
  "model_release" BOOLEAN,
  "property_release" BOOLEAN,
  "nsfw" BOOLEAN,
  "status" TEXT,
  "date" TEXT,
  "date_start" DATE,
  "date_end" DATE,
  "location" TEXT,
  "city" TEXT,
  "country" TEXT,
  "event" TEXT,
  "author" TEXT,
  "provider" TEXT,
  "medium" TEXT,
  "keywords" TEXT[],
  "categories" TEXT[],
  "collections" TEXT[],
  "container" TEXT NOT NULL,
  "codec_video" TEXT,
  "codec_audio" TEXT,
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "fps" DOUBLE PRECISION,
  "duration_secs" DOUBLE PRECISION NOT NULL,
  "lang" "language" NOT NULL,
  "byte_size" BIGINT,
  "checksum" BYTEA,
  "provenance" JSONB,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE UNIQUE INDEX "video_tenant_id_video_id_key" ON "video" ("tenant_id", "video_id");
CREATE INDEX "video_tenant_id_created_at_video_id_idx" ON "video" ("tenant_id", "created_at" DESC, "video_id");

CREATE TABLE "operation" (
  "id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "api_key_id" INTEGER,
  "kind" TEXT NOT NULL,
  "method" "operation_method" NOT NULL,
  "resource" "operation_resource" NOT NULL,
  "state" "operation_state" NOT NULL DEFAULT 'queued',
  "is_aborted" BOOLEAN NOT NULL DEFAULT false,
  "num_total" INTEGER NOT NULL,
  "num_good" INTEGER NOT NULL DEFAULT 0,
  "num_bad" INTEGER NOT NULL DEFAULT 0,
  "num_created" INTEGER NOT NULL DEFAULT 0,
  "do_wait" BOOLEAN NOT NULL,
  "do_urgent" BOOLEAN NOT NULL,
  "do_strict" BOOLEAN NOT NULL,
  "lang" "language",
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "started_at" TIMESTAMPTZ(3),
  "finished_at" TIMESTAMPTZ(3),
  CONSTRAINT "operation_counters" CHECK ("num_good" + "num_bad" <= "num_total")
);
CREATE INDEX "operation_tenant_id_id_idx" ON "operation" ("tenant_id", "id" DESC);
-- The worker's question "what is next for this tenant": only unfinished operations are in it.
CREATE INDEX "operation_unfinished_idx" ON "operation" ("tenant_id", "do_urgent" DESC, "id")
  WHERE "state" <> 'finished';

CREATE TABLE "operation_chunk" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "first_position" INTEGER NOT NULL,
  "elements" JSON NOT NULL,
  "applied_at" TIMESTAMPTZ(3),
  PRIMARY KEY ("operation_id", "number")
);

CREATE TABLE "operation_error" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "position" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "ref" TEXT NOT NULL,
  "code" TEXT NOT NULL,
  "field" TEXT,
  "message" TEXT NOT NULL,
  PRIMARY KEY ("operation_id", "position")
);

CREATE TABLE "operation_event" (
  "operation_id" BIGINT NOT NULL REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "sequence" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "type" TEXT NOT NULL,
  "data" JSONB NOT NULL,
  PRIMARY KEY ("operation_id", "sequence")
);

CREATE TABLE "tenant_turn" (
  "tenant_id" INTEGER PRIMARY KEY REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "holder" UUID NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL
);

CREATE TABLE "query_image" (
  "row_id" BIGSERIAL PRIMARY KEY,
  "tenant_id" INTEGER NOT NULL REFERENCES "tenant" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "hash" TEXT NOT NULL,
  "width" INTEGER NOT NULL,
  "height" INTEGER NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "expires_at" TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX "query_image_tenant_id_hash_key" ON "query_image" ("tenant_id", "hash");
CREATE INDEX "query_image_expires_at_idx" ON "query_image" ("expires_at");

CREATE TABLE "service_process" (
  "id" UUID PRIMARY KEY,
  "role" TEXT NOT NULL,
  "pid" INTEGER NOT NULL,
  "host" TEXT NOT NULL,
  "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
