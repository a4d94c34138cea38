-- What operations that look for duplicates have found; it goes with the operation.
CREATE TABLE "duplicate_search" (
  "operation_id" BIGINT PRIMARY KEY REFERENCES "operation" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "formula" TEXT NOT NULL,
  "tier" TEXT NOT NULL,
  "distance" SMALLINT NOT NULL,
  "num_images" INTEGER NOT NULL,
  "num_groups" INTEGER NOT NULL,
  "num_grouped" INTEGER NOT NULL,
  "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX "duplicate_search_tenant_id_operation_id_idx" ON "duplicate_search" ("tenant_id", "operation_id" DESC);

-- The largest group has the lowest number.
CREATE TABLE "duplicate_group" (
  "operation_id" BIGINT NOT NULL REFERENCES "duplicate_search" ("operation_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "tenant_id" INTEGER NOT NULL,
  "size" INTEGER NOT NULL,
  PRIMARY KEY ("operation_id", "number")
);

-- The oldest record of a group has the lowest row_id.
CREATE TABLE "duplicate_member" (
  "operation_id" BIGINT NOT NULL REFERENCES "duplicate_search" ("operation_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "number" INTEGER NOT NULL,
  "row_id" BIGINT NOT NULL REFERENCES "image" ("row_id") ON DELETE CASCADE ON UPDATE CASCADE,
  "tenant_id" INTEGER NOT NULL,
  "distance" SMALLINT,
  PRIMARY KEY ("operation_id", "number", "row_id")
);
CREATE INDEX "duplicate_member_row_id_idx" ON "duplicate_member" ("row_id");

-- A group of which one record is left is none.
CREATE FUNCTION duplicate_members_gone() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  WITH lost AS (SELECT operation_id, number, count(*)::integer AS count FROM gone GROUP BY 1, 2)
  UPDATE duplicate_group g SET size = size - lost.count FROM lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number;
  DELETE FROM duplicate_group g USING (SELECT DISTINCT operation_id, number FROM gone) AS lost
  WHERE g.operation_id = lost.operation_id AND g.number = lost.number AND g.size < 2;
  RETURN NULL;
END $$;

CREATE TRIGGER duplicate_members_gone AFTER DELETE ON "duplicate_member" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION duplicate_members_gone();

-- Another file is another picture: neither a verdict nor a group is about it.
CREATE OR REPLACE FUNCTION image_has_other_file() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM pair_verdict WHERE low_row = NEW.row_id OR high_row = NEW.row_id;
  DELETE FROM duplicate_member WHERE row_id = NEW.row_id;
  RETURN NULL;
END $$;
