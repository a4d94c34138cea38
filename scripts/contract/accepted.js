// Breaking changes since the release in test/fixtures/released, each with the reason why it is accepted. The
// changelog of the release lists them. An entry that no change needs anymore is also a fault.
const renamed =
  'The type has a clearer name. Fields and their values are the same; only documents with fragments on it change.';
const nullable =
  'It is sent as null as before. The document requires no list or object that can be null, which generated Java clients fail on.';

export const accepted = {
  "Type 'Lettering' was removed": renamed,
  "Type 'SearchAnswerer' was removed": renamed,
  "Type 'SeenObject' was removed": renamed,
  "Field 'FormulaExplanation.answeredBy' changed type from '[SearchAnswerer!]!' to '[SearchBackend!]!'": renamed,
  "Field 'ImageAnalysis.objects' changed type from '[SeenObject!]' to '[DetectedObject!]'": renamed,
  "Field 'ImageAnalysis.text' changed type from 'Lettering' to 'OcrResult'": renamed,
  "Field 'TagImageResponse.objects' changed type from '[SeenObject!]' to '[DetectedObject!]'": renamed,
  "Field 'TagImageResponse.ocr' changed type from 'Lettering' to 'OcrResult'": renamed,
  'GET /me 200.limits: read may now be missing': nullable,
  'GET /me 200.limits: write may now be missing': nullable,
  'GET /me 200.limits: tag may now be missing': nullable,
  'GET /me 200.limits: query_image may now be missing': nullable,
  'POST /tag/image 200: keywords may now be missing': nullable,
  'POST /tag/image 200: keyword_scores may now be missing': nullable,
  'POST /tag/image 200: ocr may now be missing': nullable,
  'POST /tag/image 200: colors may now be missing': nullable,
  'GET /imgs/explain 200: emptied may now be missing': nullable,
  'GET /imgs 200.results[].match: overlap may now be missing': nullable,
  'GET /vids 200.results[].match: overlap may now be missing': nullable,
  'GET /duplicates 200: search may now be missing': nullable,
  'GET /duplicates 200.results[].members[]: image may now be missing': nullable,
};
