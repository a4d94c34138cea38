/** The hexadecimal SHA-256 of a file's bytes, made in a thread: 25 MiB would hold the event loop for 20 ms and more. */
export async function sha256(bytes: Buffer): Promise<string> {
  // No file is read into memory that threads share.
  const digest = await crypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>);
  return Buffer.from(digest).toString('hex');
}
