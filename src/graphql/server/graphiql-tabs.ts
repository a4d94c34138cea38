/** A document that GraphiQL opens with. */
export type Tab = Readonly<{ query: string; variables?: string }>;

/**
 * The examples that GraphiQL opens with. They run unchanged on a catalog with the analyzed pictures of examples/; only the
 * subscription needs the number of an operation first.
 */
export const tabs: readonly Tab[] = [
  {
    query: `# Who am I?
# Put your API key into the field above,
# then press ▶.
query Me {
  me { clientName roleName tenant scopes }
}`,
  },
  {
    query: `# A search formula: words, fields, ranges, flags.
# Without q: the newest first. Pass \`cursor\` to continue.
query Formula($q: String, $cursor: String) {
  images(q: $q, cursor: $cursor, limit: 20) {
    count
    cursor
    results { imageId title country date width height }
  }
}`,
    variables: '{ "q": "(country:Italy OR country:Japan) date:1850..1930" }',
  },
  {
    query: `# Pictures like a text, or like another picture by its id:
# i~nagasaki finds similar ones, i=nagasaki copies of it,
# re-encoded, cropped or rotated. Add any other terms:
# i~nagasaki -country:Japan
query Similarity($q: String) {
  images(q: $q, limit: 20) {
    count
    results { imageId title match { operator by distance tier } }
  }
}`,
    variables: String.raw`{ "q": "i~\"boats in a river\"" }`,
  },
  {
    query: `# How often each value occurs among all matches.
query Facets($q: String) {
  images(q: $q, limit: 1) {
    count
    facets(fields: [country, author, keywords]) {
      name
      values { value count }
    }
  }
}`,
    variables: '{ "q": "date:..1940" }',
  },
  {
    query: `# One picture by its id.
query OnePicture($id: ID!) {
  image(id: $id) { imageId title headline caption keywords author date width height }
}`,
    variables: '{ "id": "alps" }',
  },
  {
    query: `# Store a picture and wait for it.
# \`srcPath\` is looked up below MEDIA_ROOTS.
mutation Store($images: [ImageInput!]!) {
  createImages(images: $images, wait: true, lang: en) {
    ... on Operation { id numGood numBad errors { position code msg } }
    ... on PendingOperation { operationId msg }
  }
}`,
    variables: '{ "images": [{ "id": "my-first", "srcPath": "nagasaki-boats.jpg", "title": "My first picture" }] }',
  },
  {
    query: `# An operation, event by event, until it has ended.
# Enter its id below: Store and Operations show some.
subscription Follow($id: BigInt!) {
  operationProgress(id: $id) { sequence type at numTotal numGood numBad numToAnalyze numAnalyzed }
}`,
    variables: '{ "id": 0 }',
  },
  {
    query: `# The latest writes, and what failed.
query Operations {
  operations(limit: 10) {
    count
    results { id method isFinished numTotal numGood numBad idleMs execMs errors { ref msg } }
  }
}`,
  },
];
