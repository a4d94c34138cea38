// Breaking changes since the release in test/fixtures/released, each with why it is accepted. The changelog of the release
// names them. An entry that no change needs any more is a fault, too.
const renamed =
  'The type has a clearer name. Fields and their values are the same; only documents with fragments on it change.';

export const accepted = {
  "Type 'Lettering' was removed": renamed,
  "Type 'SearchAnswerer' was removed": renamed,
  "Type 'SeenObject' was removed": renamed,
  "Field 'FormulaExplanation.answeredBy' changed type from '[SearchAnswerer!]!' to '[SearchBackend!]!'": renamed,
  "Field 'ImageAnalysis.objects' changed type from '[SeenObject!]' to '[DetectedObject!]'": renamed,
  "Field 'ImageAnalysis.text' changed type from 'Lettering' to 'OcrResult'": renamed,
  "Field 'TagImageResponse.objects' changed type from '[SeenObject!]' to '[DetectedObject!]'": renamed,
  "Field 'TagImageResponse.ocr' changed type from 'Lettering' to 'OcrResult'": renamed,
};
