-- What was accepted and is probably not what the caller meant, such as fields that no record has.
ALTER TABLE "operation" ADD COLUMN "warnings" JSONB;

-- Where workers read sources, for the command line to know beside a running service.
ALTER TABLE "service_process" ADD COLUMN "media_roots" TEXT[] DEFAULT ARRAY[]::TEXT[];
