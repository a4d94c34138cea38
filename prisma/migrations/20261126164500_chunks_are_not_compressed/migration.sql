-- The elements of an operation are read once and deleted: compressing them takes more time than it saves.
ALTER TABLE "operation_chunk" ALTER COLUMN "elements" SET STORAGE EXTERNAL;
