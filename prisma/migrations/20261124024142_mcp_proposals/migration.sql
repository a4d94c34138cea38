-- CreateTable
CREATE TABLE "mcp_proposal" (
    "id" TEXT NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "api_key_id" INTEGER NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mcp_proposal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "mcp_proposal_tenant_id_created_at_idx" ON "mcp_proposal"("tenant_id", "created_at");

-- CreateIndex
CREATE INDEX "mcp_proposal_api_key_id_created_at_idx" ON "mcp_proposal"("api_key_id", "created_at");

-- CreateIndex
CREATE INDEX "mcp_proposal_expires_at_idx" ON "mcp_proposal"("expires_at");

-- AddForeignKey
ALTER TABLE "mcp_proposal" ADD CONSTRAINT "mcp_proposal_api_key_id_fkey" FOREIGN KEY ("api_key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
