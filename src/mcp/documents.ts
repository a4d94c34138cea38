/** The documents of the tools, by name. They can do whatever the schema allows the key. */
export const documents = {
  search: `query McpSearch($q: String!, $limit: Int!, $sortBy: ImageSort, $sortOrder: SortOrder!) {
    images(q: $q, limit: $limit, sortBy: $sortBy, sortOrder: $sortOrder) {
      count
      results {
        imageId title headline caption date author city country keywords width height similarity
        preview(width: 320, format: jpeg) { url }
      }
    }
  }`,
  ids: `query McpIds($q: String!, $limit: Int!) {
    images(q: $q, limit: $limit) { count results { imageId } }
  }`,
  get: `query McpGet($id: ID!) {
    image(id: $id) {
      imageId title headline caption altText date location city country event author provider status
      shot scene technique medium keywords categories collections width height nFaces nsfw aiGenerated modelRelease
      propertyRelease lockedFields aiStatus createdAt updatedAt version
      preview(width: 640, format: jpeg) { url }
    }
  }`,
  explain: `query McpExplain($q: String!) {
    explanation: explainFormula(q: $q) {
      text sentence count
      clauses { text count }
      emptied { clause countWithout }
      suggestions { formula count }
      warnings { message }
      corrections { word meanings }
    }
  }`,
  tag: `mutation McpTag($image: Upload, $imageUrl: String, $lang: String!) {
    tags: tagImage(image: $image, imageUrl: $imageUrl, lang: $lang, caption: true, keywords: true, ocr: true, colors: true) {
      caption keywords ocr { text } colors { name hex percent } isBw warnings
    }
  }`,
  change: `mutation McpChange($images: [ImageInput!]!, $dryRun: Boolean!, $idempotencyKey: String) {
    result: updateImages(images: $images, dryRun: $dryRun, idempotencyKey: $idempotencyKey, wait: true) { ...Written }
  }`,
  delete: `mutation McpDelete($ids: [ID!]!, $dryRun: Boolean!, $idempotencyKey: String) {
    result: deleteImages(ids: $ids, dryRun: $dryRun, idempotencyKey: $idempotencyKey, wait: true) { ...Written }
  }`,
  undo: `mutation McpUndo($id: BigInt!) {
    result: undoOperation(id: $id, wait: true) { ...Written }
  }`,
  operation: `query McpOperation($id: BigInt!) {
    result: operation(id: $id) { ...Written }
  }`,
  operations: `query McpOperations($limit: Int!) {
    operations(limit: $limit) {
      results { id method resource numTotal numGood numBad isFinished isAborted isDryRun createdAt }
    }
  }`,
} as const;

export type DocumentName = keyof typeof documents;

const written = `fragment Written on WriteResult {
  ... on Operation { ...Done }
  ... on PendingOperation { operationId nTotal }
}
`;
const done = `fragment Done on Operation {
  id numTotal numGood numBad isFinished isAborted isDryRun
  errors(limit: 20) { ref code field message }
  changes(limit: 50) { count results { ref kind msg fields { field before after } } }
}`;

/** The text of a document with the fragments that it uses. */
export function documentText(name: DocumentName): string {
  const text: string = documents[name];
  if (!text.includes('...Written')) return text;
  return name === 'operation' ? `${text.replace('...Written', '...Done')}\n${done}` : `${text}\n${written}${done}`;
}
