-- An event is of the moment it is written, not of the beginning of its transaction, which may have stored hundreds
-- of elements before.
ALTER TABLE "operation_event" ALTER COLUMN "at" SET DEFAULT clock_timestamp();
