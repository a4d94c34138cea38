import { AUDIO_CODECS, VIDEO_CODECS } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { createVideoReader } from '../../../src/analysis/index.ts';
import { codecName } from '../../../src/analysis/video/containers.ts';
import { makeClip } from '../../support/clips.ts';

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
    expect(codecName(codec, null, 'audio')).toBe(name);
  });

  it('is known for every codec of the library, in one spelling', () => {
    for (const codec of [...VIDEO_CODECS, ...AUDIO_CODECS])
      expect(codecName(codec, null, 'video')).toMatch(/^[a-z0-9_]+$/);
  });

  it.each([
    ['zzzz', 'zzzz'],
    ['V_MS/VFW/FOURCC', 'V_MS/VFW/FOURCC'],
    ['\0\u{1}x ', 'x'],
    ['\0', null],
    [42, null],
    [null, null],
  ])('that the library does not know is what the container calls it: %j', (id, name) => {
    expect(codecName(null, id, 'video')).toBe(name);
  });

  /** What FFmpeg's own tables and names say of codes that files really have. */
  it.each([
    ['jpeg', 'mjpeg'],
    ['mjpa', 'mjpeg'],
    ['mjpb', 'mjpegb'],
    ['MJPG', 'mjpeg'],
    ['mp4v', 'mpeg4'],
    ['XVID', 'mpeg4'],
    ['xvid', 'mpeg4'],
    ['m2v1', 'mpeg2video'],
    ['mpeg', 'mpeg1video'],
    ['hdv3', 'mpeg2video'],
    ['xd5b', 'mpeg2video'],
    ['ap4h', 'prores'],
    ['AVdn', 'dnxhd'],
    ['AVdh', 'dnxhd'],
    ['dvcp', 'dvvideo'],
    ['dvc ', 'dvvideo'],
    ['avc2', 'h264'],
    ['dva1', 'h264'],
    ['dvhe', 'hevc'],
    ['rle ', 'qtrle'],
    ['SVQ3', 'svq3'],
    ['cvid', 'cinepak'],
    ['png ', 'png'],
    ['raw ', 'rawvideo'],
    ['2vuy', 'rawvideo'],
    ['v210', 'v210'],
    ['icod', 'aic'],
    ['CFHD', 'cfhd'],
    ['vc-1', 'vc1'],
    ['V_MPEG4/ISO/ASP', 'mpeg4'],
    ['V_FFV1', 'ffv1'],
    ['V_THEORA', 'theora'],
  ])('of pictures that a container calls %j is %s', (id, name) => {
    expect(codecName(null, id, 'video')).toBe(name);
  });

  it.each([
    ['raw ', 'pcm_u8'],
    ['.mp3', 'mp3'],
    ['ima4', 'adpcm_ima_qt'],
    ['samr', 'amr_nb'],
    ['alac', 'alac'],
    ['A_TRUEHD', 'truehd'],
    ['A_MPEG/L2', 'mp2'],
  ])('of sound that a container calls %j is %s', (id, name) => {
    expect(codecName(null, id, 'audio')).toBe(name);
  });
});

describe('a QuickTime file of JPEG pictures', () => {
  it('has the codec mjpeg', async () => {
    const reader = createVideoReader();
    try {
      // Four characters of the sample description are all that says so.
      const clip = await makeClip({ format: 'mov', codec: 'avc' });
      const at = clip.indexOf('avc1', clip.indexOf('stsd'));
      clip.write('jpeg', at, 'latin1');
      const { facts } = await reader.read(
        { size: clip.length, isSeekable: true, read: async (start, end) => clip.subarray(start, end) },
        { wants: 'facts' },
      );
      expect([facts.container, facts.codecVideo]).toEqual(['mov', 'mjpeg']);
    } finally {
      await reader.close();
    }
  });
});
