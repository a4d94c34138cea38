import { AUDIO_CODECS, VIDEO_CODECS } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { codecName } from '../../../src/vision/video/containers.ts';

describe('the name of a codec', () => {
  it.each([
    ['avc', 'h264'],
    ['hevc', 'hevc'],
    ['av1', 'av1'],
    ['aac', 'aac'],
    ['pcm-s16', 'pcm_s16le'],
    ['pcm-s24be', 'pcm_s24be'],
    ['pcm-u8', 'pcm_u8'],
    ['pcm-f32', 'pcm_f32le'],
    ['ulaw', 'pcm_mulaw'],
  ])('of %s is %s', (codec, name) => {
    expect(codecName(codec, null)).toBe(name);
  });

  it('is known for every codec of the library, in one spelling', () => {
    for (const codec of [...VIDEO_CODECS, ...AUDIO_CODECS]) expect(codecName(codec, null)).toMatch(/^[a-z0-9_]+$/);
  });

  it.each([
    ['mp4v', 'mp4v'],
    ['V_MS/VFW/FOURCC', 'V_MS/VFW/FOURCC'],
    ['\0\u{1}x ', 'x'],
    ['\0', null],
    [42, null],
    [null, null],
  ])('that the library does not know is what the container calls it: %j', (id, name) => {
    expect(codecName(null, id)).toBe(name);
  });
});
