-- Browsers that are signed in with a key.
CREATE TABLE "session" (
    "hash" BYTEA NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "api_key_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("hash")
);

CREATE INDEX "session_api_key_id_created_at_idx" ON "session"("api_key_id", "created_at");

CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");

ALTER TABLE "session" ADD CONSTRAINT "session_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
