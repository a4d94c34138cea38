-- Ids of operations came from one sequence, so that every tenant could count the writes of all others. They are made of a
-- number that each tenant counts by itself, and of a random place, its own, in the lowest twenty bits: integers that are
-- unique, that rise within a tenant, and that tell nothing of anybody else. Ids that were given stay as they are; new ones
-- are larger than all of them.
CREATE TABLE "operation_counter" (
    "tenant_id" INTEGER NOT NULL,
    "place" INTEGER NOT NULL,
    "last" BIGINT NOT NULL,

    CONSTRAINT "operation_counter_pkey" PRIMARY KEY ("tenant_id")
);
CREATE UNIQUE INDEX "operation_counter_place_key" ON "operation_counter"("place");
ALTER TABLE "operation_counter" ADD CONSTRAINT "operation_counter_tenant_id_fkey"
  FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- One row a tenant is changed by each write: room for its next versions on its page.
ALTER TABLE "operation_counter" SET (fillfactor = 50);

CREATE FUNCTION make_operation_counter() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    INSERT INTO operation_counter (tenant_id, place, last)
    VALUES (NEW.id, floor(random() * 1048576)::int, (SELECT last_value FROM operation_id_seq) / 1048576)
    ON CONFLICT (place) DO NOTHING;
    EXIT WHEN FOUND;
  END LOOP;
  RETURN NULL;
END $$;

CREATE TRIGGER tenant_operation_counter AFTER INSERT ON tenant
FOR EACH ROW EXECUTE FUNCTION make_operation_counter();

INSERT INTO operation_counter (tenant_id, place, last)
SELECT t.id, p.place, (SELECT last_value FROM operation_id_seq) / 1048576
FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM tenant) t
JOIN (SELECT place, row_number() OVER (ORDER BY random()) AS n FROM generate_series(0, 1048575) AS place) p USING (n);
