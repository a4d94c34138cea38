-- Counts how often changes were struck off: an answer of the engine that was asked for meanwhile may lack them.
ALTER TABLE "search_index" ADD COLUMN "told" BIGINT NOT NULL DEFAULT 0;
