/** The examples that GraphiQL opens with; a test holds them against the limits. */
export const tabs: readonly Readonly<{ query: string; variables?: string }>[] = [
  {
    query: `# Who am I?
# Put your API key in the Headers pane below,
# then press ▶.
query Me {
  me { clientName roleName tenant scopes }
}`,
  },
  {
    query: `# The newest pictures. Pass \`cursor\` to go on.
query Newest {
  images(limit: 20) {
    count
    cursor
    results { imageId title width height city date }
  }
}`,
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
    query: `# What has been written lately, and what failed.
query Operations {
  operations(limit: 10) {
    count
    results { id method isFinished numTotal numGood numBad idleMs execMs errors { ref msg } }
  }
}`,
  },
];

/** The GraphiQL page with everything inline: it needs no internet. */
export async function renderGraphiQLPage(): Promise<string> {
  const { renderGraphiQL } = await import('@graphql-yoga/render-graphiql');
  const headers = JSON.stringify({ 'API-Key': '' }, null, 2);
  return renderGraphiQL({
    title: 'Vitrine',
    defaultHeaders: headers,
    headers,
    defaultTabs: tabs.map((tab) => ({ ...tab, headers })),
    shouldPersistHeaders: true,
  } as Parameters<typeof renderGraphiQL>[0]);
}
