/** The hexadecimal SHA-256 of a file's bytes, computed in a thread: 25 MiB would block the event loop for 20 ms and more. */
export async function sha256(bytes: Buffer): Promise<string> {
  // Files are never read into shared memory, so the type assertion holds.
  const digest = await crypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>);
  return Buffer.from(digest).toString('hex');
}
