-- CreateTable
CREATE TABLE "standing_formula" (
    "id" SERIAL NOT NULL,
    "tenant_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "standing_formula_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "standing_tenant" (
    "tenant_id" INTEGER NOT NULL,
    "formulas" INTEGER NOT NULL,
    "version" BIGINT NOT NULL DEFAULT 1,
    "clock_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "standing_tenant_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "standing_match" (
    "tenant_id" INTEGER NOT NULL,
    "resource" "operation_resource" NOT NULL,
    "row_id" BIGINT NOT NULL,
    "formulas" INTEGER[],

    CONSTRAINT "standing_match_pkey" PRIMARY KEY ("tenant_id","resource","row_id")
);

-- CreateTable
CREATE TABLE "standing_outbox" (
    "tenant_id" INTEGER NOT NULL,
    "resource" "operation_resource" NOT NULL,
    "row_id" BIGINT NOT NULL,
    "ref" TEXT,
    "change" xid8 NOT NULL DEFAULT pg_current_xact_id(),
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "standing_outbox_pkey" PRIMARY KEY ("tenant_id","resource","row_id")
);

-- CreateTable
CREATE TABLE "notification" (
    "tenant_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "kind" TEXT NOT NULL,
    "resource" "operation_resource",
    "ref" TEXT,
    "formula" TEXT,
    "operation_id" BIGINT,
    "data" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "notification_pkey" PRIMARY KEY ("tenant_id","number")
);

-- CreateTable
CREATE TABLE "notification_counter" (
    "tenant_id" INTEGER NOT NULL,
    "last_number" BIGINT NOT NULL,

    CONSTRAINT "notification_counter_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "standing_formula_tenant_id_name_key" ON "standing_formula"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "standing_outbox_tenant_id_changed_at_idx" ON "standing_outbox"("tenant_id", "changed_at");

-- CreateIndex
CREATE INDEX "notification_tenant_id_formula_number_idx" ON "notification"("tenant_id", "formula", "number");

-- CreateIndex
CREATE INDEX "notification_at_idx" ON "notification" USING BRIN ("at");

-- AddForeignKey
ALTER TABLE "standing_formula" ADD CONSTRAINT "standing_formula_tenant_id_name_fkey" FOREIGN KEY ("tenant_id", "name") REFERENCES "saved_formula"("tenant_id", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "standing_tenant" ADD CONSTRAINT "standing_tenant_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "standing_match" ADD CONSTRAINT "standing_match_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "standing_outbox" ADD CONSTRAINT "standing_outbox_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification" ADD CONSTRAINT "notification_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_counter" ADD CONSTRAINT "notification_counter_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Counts the standing formulas of a tenant and marks that they, or a saved formula that they may name, have changed.
CREATE OR REPLACE FUNCTION standing_formulas_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  added int := CASE WHEN TG_TABLE_NAME = 'saved_formula' THEN 0 WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  IF added = 1 THEN
    INSERT INTO standing_tenant AS t (tenant_id, formulas)
      SELECT tenant_id, count(*) FROM changed GROUP BY tenant_id ORDER BY tenant_id
      ON CONFLICT (tenant_id) DO UPDATE SET formulas = t.formulas + EXCLUDED.formulas, version = t.version + 1;
    RETURN NULL;
  END IF;
  UPDATE standing_tenant t SET formulas = t.formulas + added * c.count, version = t.version + 1
    FROM (SELECT tenant_id, count(*) FROM changed GROUP BY tenant_id) AS c WHERE t.tenant_id = c.tenant_id;
  DELETE FROM standing_outbox o USING standing_tenant t
    WHERE o.tenant_id = t.tenant_id AND t.formulas = 0 AND t.tenant_id IN (SELECT tenant_id FROM changed);
  DELETE FROM standing_match m USING standing_tenant t
    WHERE m.tenant_id = t.tenant_id AND t.formulas = 0 AND t.tenant_id IN (SELECT tenant_id FROM changed);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standing_formulas_added AFTER INSERT ON "standing_formula"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_removed AFTER DELETE ON "standing_formula"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_saved AFTER UPDATE ON "saved_formula"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();
CREATE OR REPLACE TRIGGER standing_formulas_forgotten AFTER DELETE ON "saved_formula"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_formulas_changed();

-- Notes which records standing formulas have to be evaluated for.
CREATE OR REPLACE FUNCTION standing_outbox_add() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM standing_tenant WHERE formulas > 0) THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'image' THEN
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id, ref)
      SELECT tenant_id, 'image', row_id, CASE TG_OP WHEN 'DELETE' THEN image_id END FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, ref = EXCLUDED.ref;
  ELSIF TG_TABLE_NAME = 'video' THEN
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id, ref)
      SELECT tenant_id, 'video', row_id, CASE TG_OP WHEN 'DELETE' THEN video_id END FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change, ref = EXCLUDED.ref;
  ELSE
    INSERT INTO standing_outbox AS o (tenant_id, resource, row_id)
      SELECT tenant_id, split_part(TG_TABLE_NAME, '_', 2)::operation_resource, row_id FROM changed
      WHERE tenant_id IN (SELECT tenant_id FROM standing_tenant WHERE formulas > 0) ORDER BY tenant_id, row_id
      ON CONFLICT (tenant_id, resource, row_id) DO UPDATE SET change = EXCLUDED.change;
  END IF;
  IF FOUND THEN
    PERFORM pg_notify('vitrine_standing', tenant_id::text) FROM (SELECT DISTINCT tenant_id FROM changed) AS each;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_changed AFTER UPDATE ON "image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "image"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_changed AFTER UPDATE ON "video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "video"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "collection_image"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "collection_image"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_created AFTER INSERT ON "collection_video"
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
CREATE OR REPLACE TRIGGER standing_outbox_deleted AFTER DELETE ON "collection_video"
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION standing_outbox_add();
