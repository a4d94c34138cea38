import { freeClosedFrames } from './free-frames.ts';

/** The package that decodes video frames: native code, which may be missing or not fit the machine. */
const decoderPackage = '@napi-rs/webcodecs';

/** The globals that the container library looks for in a browser. */
const decoderNames = ['VideoDecoder', 'VideoFrame', 'EncodedVideoChunk', 'VideoColorSpace'] as const;

/** Installs the decoder as these globals. @returns why that is not possible, or null. */
export async function loadDecoder(): Promise<string | null> {
  try {
    const module = await import('@napi-rs/webcodecs');
    const { gc } = globalThis;
    if (gc !== undefined) freeClosedFrames(module.VideoFrame.prototype, () => gc());
    for (const name of decoderNames) Object.assign(globalThis, { [name]: module[name] });
    return null;
  } catch (error) {
    const isMissing = /MODULE_NOT_FOUND/.test(String((error as { code?: unknown }).code));
    const what = isMissing ? 'is not installed' : 'could not be loaded';
    return `the decoder (${decoderPackage}) ${what} on this machine`;
  }
}
