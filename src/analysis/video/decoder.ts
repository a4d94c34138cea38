/** The package that decodes pictures of videos: native code, which may be missing or not fit the machine. */
const decoderPackage = '@napi-rs/webcodecs';

/** What the library that reads containers looks for in a browser. */
const decoderNames = ['VideoDecoder', 'VideoFrame', 'EncodedVideoChunk', 'VideoColorSpace'] as const;

/** Puts the decoder where the library looks for it. @returns why it cannot be, or null. */
export async function loadDecoder(): Promise<string | null> {
  try {
    const module = await import('@napi-rs/webcodecs');
    for (const name of decoderNames) Object.assign(globalThis, { [name]: module[name] });
    return null;
  } catch (error) {
    const isMissing = /MODULE_NOT_FOUND/.test(String((error as { code?: unknown }).code));
    const what = isMissing ? 'is not installed' : 'could not be loaded';
    return `the decoder (${decoderPackage}) ${what} on this machine`;
  }
}
