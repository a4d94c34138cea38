import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ElementError } from '../../../src/lib/errors.ts';
import { createVideoReader } from '../../../src/analysis/index.ts';
import type { VideoReader, VideoSource } from '../../../src/analysis/index.ts';
import { videoLimits } from '../../../src/analysis/video/reader.ts';
import { makeClip, steady } from '../../support/clips.ts';
import type { ClipFormat } from '../../support/clips.ts';
import frames from '../../fixtures/reordered-frames.json' with { type: 'json' };
import { corpusFolder, noCorpus, readManifest } from '../../support/corpus.ts';
import { sizeOf, timed, full } from '../../support/effort.ts';

/**
 * Ten frames in a second, with one key frame and frames between that are stored after later ones: the left half is black,
 * the right one of gray 60 + 20n in frame n. Encoded by FFmpeg with libx264 and libx265 from
 * `color=black:size=64x64:rate=10:duration=1,format=gray,geq=lum='if(lt(X,32),0,60+20*N)'`.
 */
const reordered: Readonly<Record<'h264' | 'hevc', string>> = frames;

let reader: VideoReader;
beforeAll(() => {
  reader = createVideoReader();
});
afterAll(() => reader.close());

type Counted = VideoSource & { bytesRead(): number };

function sourceOf(bytes: Buffer, isSeekable = true): Counted {
  let taken = 0;
  return {
    size: bytes.length,
    isSeekable,
    bytesRead: () => taken,
    async read(start, end) {
      taken += end - start;
      return bytes.subarray(start, end);
    },
  };
}

const fault = (code: string, message: string) =>
  expect.objectContaining({ name: 'ElementError', code, message: expect.stringContaining(message) });

const containers: Readonly<Record<string, string>> = { 'mov (QuickTime)': 'mov', matroska: 'mkv' };

describe.skipIf(noCorpus)('the clips of the corpus', () => {
  const clips = noCorpus ? [] : readManifest().video;
  const bytesOf = (file: string) => readFileSync(join(corpusFolder, file));

  it.each(clips.filter(({ expected }) => expected === 'accept'))('$file says what the manifest says', async (clip) => {
    const { facts, stills, fault: reason } = await reader.read(sourceOf(bytesOf(clip.file)));
    expect(facts).toMatchObject({
      container: containers[clip.container] ?? clip.container,
      codecVideo: clip.video_codec,
      codecAudio: clip.audio_codec,
      width: clip.width,
      height: clip.height,
    });
    expect(Math.abs((facts.fps ?? 0) - clip.fps)).toBeLessThanOrEqual(0.01);
    expect(Math.abs(facts.durationSecs - clip.measured_duration_s)).toBeLessThanOrEqual(0.1);
    expect([reason, stills.length]).toEqual([null, 5]);
    for (const { jpeg, width, height } of stills) {
      expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', width, height });
      expect([width, height]).toEqual([clip.width, clip.height]);
    }
  });

  it.each(clips.filter(({ expected }) => expected !== 'accept'))('$file is refused', async ({ file }) => {
    const code = file.includes('fake') ? 'unsupported_media' : 'decode_failed';
    await expect(reader.read(sourceOf(bytesOf(file)))).rejects.toEqual(fault(code, ''));
  });
});

describe('the facts of a video', () => {
  it.each<[ClipFormat, string, 'avc' | 'vp8', string]>([
    ['mp4', 'mp4', 'avc', 'h264'],
    ['mp4 with its index behind', 'mp4', 'avc', 'h264'],
    ['mp4 in fragments', 'mp4', 'avc', 'h264'],
    ['mov', 'mov', 'avc', 'h264'],
    ['webm', 'webm', 'vp8', 'vp8'],
    ['mkv', 'mkv', 'avc', 'h264'],
  ])('are read from %s', async (format, container, codec, codecVideo) => {
    const clip = await makeClip({ format, codec, times: steady(50, 25) });
    expect((await reader.read(sourceOf(clip), { wants: 'facts' })).facts).toEqual({
      container,
      codecVideo,
      codecAudio: null,
      width: 64,
      height: 48,
      fps: 25,
      durationSecs: 2,
    });
  });

  it.each([
    [0, 64, 48],
    [90, 48, 64],
    [180, 64, 48],
    [270, 48, 64],
  ] as const)(
    'turned by %i° have the size that is shown, and so have the pictures',
    async (rotation, width, height) => {
      const { facts, stills } = await reader.read(sourceOf(await makeClip({ format: 'mp4', codec: 'avc', rotation })));
      expect([facts.width, facts.height]).toEqual([width, height]);
      expect(stills[0]).toMatchObject({ width, height });
    },
  );

  it.each(['mp4', 'mkv'] as const)('of %s whose rate varies have its average', async (format) => {
    const times = [0, 0.1, 0.15, 0.4, 0.5, 0.9, 1];
    const { facts } = await reader.read(sourceOf(await makeClip({ format, codec: 'avc', times })));
    expect([facts.fps, facts.durationSecs]).toEqual([6.364, 1.1]);
  });

  it('know 30000/1001 pictures per second', async () => {
    const times = steady(60, 30_000 / 1001);
    for (const format of ['mp4', 'mkv'] as const) {
      const { facts } = await reader.read(sourceOf(await makeClip({ format, codec: 'avc', times })));
      expect(facts.fps).toBe(29.97);
    }
  });

  it('take a small part of a large file', full, async () => {
    const large = { width: 320, height: 240, times: steady(200, 25), noise: true, bitrate: 8_000_000 };
    const clip = await makeClip({ ...large, format: 'mp4 with its index behind', codec: 'avc' });
    const source = sourceOf(clip);
    const { facts } = await reader.read(source, { wants: 'facts' });
    expect(facts).toMatchObject({ durationSecs: 8, fps: 25 });
    expect(clip.length).toBeGreaterThan(4_000_000);
    expect(source.bytesRead()).toBeLessThan(clip.length / 50);
  });
});

describe('the pictures of a video', () => {
  it('begin with the first one that is not black', async () => {
    const clip = await makeClip({ times: steady(40, 10), black: 12 });
    const [poster] = (await reader.read(sourceOf(clip))).stills;
    expect(poster?.timeSecs).toBe(2);
  });

  it('are one where only the poster is wanted, which is small', async () => {
    const clip = await makeClip({ width: 1280, height: 720, times: steady(4, 2) });
    const { stills, poster } = await reader.read(sourceOf(clip), { wants: 'poster' });
    expect([stills.length, poster?.width, poster?.height]).toEqual([1, 512, 288]);
    const { stills: all } = await reader.read(sourceOf(clip));
    expect(all.map(({ timeSecs, width, height }) => [timeSecs, width, height])).toEqual([
      [0, 1024, 576],
      ...[0.5, 1, 1.5].map((secs) => [secs, 1024, 576]),
    ]);
  });

  it('may all be black', async () => {
    const { stills, fault: reason } = await reader.read(sourceOf(await makeClip({ black: 10 })));
    expect([stills.length > 0, reason]).toEqual([true, null]);
  });

  it('are upright: what was on the left is on top after a turn to the right', async () => {
    const clip = await makeClip({ format: 'mp4', codec: 'avc', rotation: 90, width: 64, height: 32 });
    const [poster] = (await reader.read(sourceOf(clip))).stills;
    const { data } = await sharp(poster?.jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
    // The bars run from top to bottom in the file: bright for 16 pixels, dark for 16, and so on.
    const rowAt = (y: number) => data[y * 32 + 16] ?? 0;
    expect([rowAt(6) > 150, rowAt(22) < 100, rowAt(38) > 150]).toEqual([true, true, true]);
  });

  it.each(['h264', 'hevc'] as const)(
    'are those of their time where frames are stored in another order (%s)',
    async (codec) => {
      const { stills } = await reader.read(sourceOf(Buffer.from(reordered[codec], 'base64')));
      expect(stills.map(({ timeSecs }) => timeSecs)).toEqual([0, 0.2, 0.4, 0.6, 0.8]);
      const means = stills.map(async ({ jpeg }) => (await sharp(jpeg).stats()).channels[0]?.mean ?? 0);
      expect((await Promise.all(means)).map((mean) => Math.round(mean / 10))).toEqual([3, 5, 7, 9, 11]);
    },
  );

  it('are decoded in 4K within the memory of the process, also far from a key frame', full, async () => {
    const size = { width: 3840, height: 2160 };
    const pictures = [40, 200].map((gray) => {
      const row = Buffer.concat([
        Buffer.alloc(1920 * 4, Buffer.of(0, 0, 0, 255)),
        Buffer.alloc(1920 * 4, Buffer.of(gray, gray, gray, 255)),
      ]);
      return Buffer.concat(Array.from({ length: 2160 }, () => row));
    });
    const times = steady(70, 25);
    const clip = await makeClip({ ...size, format: 'mp4', codec: 'avc', pictures, times, keyFrameSecs: 10 });
    const { stills, fault: reason } = await reader.read(sourceOf(clip));
    expect([stills.length, reason]).toEqual([5, null]);
  });

  it('are given up when they take too long, and the facts are kept', async () => {
    const hasty = createVideoReader({ limits: { ...videoLimits, stillsMs: 1 } });
    const { facts, fault: reason } = await hasty.read(sourceOf(await makeClip()));
    hasty.close();
    expect([facts.durationSecs, reason]).toEqual([1, 'decoding its frames took more than 0.001 s']);
  });
});

describe('a file that is no video', () => {
  it.each<[string, Buffer, string]>([
    ['an empty one', Buffer.alloc(0), 'decode_failed'],
    ['one byte', Buffer.from('a'), 'unsupported_media'],
    ['zeros', Buffer.alloc(100_000), 'unsupported_media'],
    ['text', Buffer.from('not a video\n'.repeat(1000)), 'unsupported_media'],
    ['a playlist', Buffer.from('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/a.ts\n'), 'unsupported_media'],
    ['a box of its own size', Buffer.from('0000001866747970', 'hex'), 'unsupported_media'],
    ['a head without a body', Buffer.from('1a45dfa3', 'hex'), 'unsupported_media'],
    [
      'an MP4 whose box has 2^60 bytes',
      Buffer.from(`0000001866747970${'69736f6d'.repeat(4)}000000016d6f6f761000000000000000`, 'hex'),
      'decode_failed',
    ],
  ])('is refused: %s', async (_what, bytes, code) => {
    const started = performance.now();
    await expect(reader.read(sourceOf(bytes))).rejects.toEqual(expect.objectContaining({ name: 'ElementError', code }));
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('is refused: a picture and sound alone', async () => {
    const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
      .avif()
      .toBuffer();
    await expect(reader.read(sourceOf(picture))).rejects.toMatchObject({ name: 'ElementError' });
  });

  it.each(['mp4', 'mp4 with its index behind', 'mp4 in fragments', 'mov', 'webm', 'mkv'] as const)(
    'is refused or read, and never more, wherever %s is cut off',
    async (format) => {
      const codec = format === 'webm' ? 'vp8' : 'avc';
      const clip = await makeClip({ format, codec, times: steady(40, 20) });
      for (let part = 1; part < 12; part += 1) {
        const cut = sourceOf(clip.subarray(0, Math.floor((clip.length * part) / 12)));
        const outcome = await reader.read(cut).catch((error: unknown) => error);
        if (part <= 6) expect(outcome).toEqual(expect.objectContaining({ name: 'ElementError' }));
        else expect(outcome instanceof ElementError || (outcome as { facts: object }).facts !== undefined).toBe(true);
      }
    },
  );

  it('and bytes that are changed at random end in facts or in one fault', full, async () => {
    const clips = [await makeClip({ format: 'mp4', codec: 'avc' }), await makeClip({ format: 'mkv' })];
    let seed = 7;
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    for (let run = 0; run < sizeOf(20, 60); run += 1) {
      const broken = Buffer.from(clips[run % 2] ?? '');
      for (let i = 0; i < 1 + random() * 20; i += 1) broken[Math.floor(random() * broken.length)] = random() * 256;
      const outcome = await reader.read(sourceOf(broken)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ElementError);
      else expect(outcome).toMatchObject({ facts: { durationSecs: expect.any(Number) } });
    }
  });
});

describe('reading', () => {
  it('throws what the source throws', async () => {
    const gone = new ElementError('source_unreachable', 'src cannot be read: gone', 'src');
    const source = { ...sourceOf(await makeClip()), read: () => Promise.reject(gone) };
    await expect(reader.read(source)).rejects.toBe(gone);
  });

  it('does not count the time that the source takes', timed, async () => {
    const hasty = createVideoReader({ limits: { ...videoLimits, factsMs: 2_000 } });
    const source = sourceOf(await makeClip());
    await hasty.read(source, { wants: 'facts' });
    let isFirst = true;
    const slow = async (start: number, end: number) => {
      if (isFirst) await new Promise((resolve) => setTimeout(resolve, 2_300));
      isFirst = false;
      return source.read(start, end);
    };
    expect((await hasty.read({ ...source, read: slow }, { wants: 'facts' })).facts.durationSecs).toBe(1);
    hasty.close();
  });

  it('is given up when it takes too long', async () => {
    const hasty = createVideoReader({ limits: { ...videoLimits, factsMs: 1 } });
    await expect(hasty.read(sourceOf(await makeClip()))).rejects.toEqual(
      fault('decode_failed', 'reading it took more than 0.001 s'),
    );
    hasty.close();
  });

  it('ends at once when it is aborted', async () => {
    const aborting = new AbortController();
    const source = { ...sourceOf(await makeClip()), read: () => new Promise<Uint8Array>(() => aborting.abort()) };
    await expect(reader.read(source, { signal: aborting.signal })).rejects.toThrow('aborted');
    await expect(reader.read(source, { signal: aborting.signal })).rejects.toThrow('aborted');
  });

  it('is read by a process that ends when the service does, also before it has started', async () => {
    const program = join(process.cwd(), 'dist/src/analysis/video/process.js');
    const child = fork(program, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.disconnect();
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(20_000) });
    await ended.finally(() => child.kill('SIGKILL'));
    expect(child.signalCode).toBeNull();
  });

  it.skipIf(process.platform !== 'linux')('outlives the death of its process', async () => {
    const own = createVideoReader();
    const source = sourceOf(await makeClip());
    const children = () =>
      spawnSync('pgrep', ['-P', String(process.pid), '-f', 'video/process.js'], { encoding: 'utf8' }).stdout;
    const before = new Set(children().split('\n'));
    const kill = async (start: number, end: number) => {
      for (const id of children().trim().split('\n')) if (!before.has(id)) process.kill(Number(id), 'SIGKILL');
      return source.read(start, end);
    };
    await expect(own.read({ ...source, read: kill })).rejects.toEqual(fault('decode_failed', 'crashed the process'));
    expect((await own.read(source)).facts.durationSecs).toBe(1);
    own.close();
  });

  it('takes no process that has just been ended for having no work', full, async () => {
    const own = createVideoReader({ limits: { ...videoLimits, idleMs: 5 } });
    const source = sourceOf(await makeClip());
    for (let i = 0; i < 5; i += 1) {
      expect((await own.read(source, { wants: 'facts' })).facts.durationSecs).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    own.close();
  });

  it('takes several videos at a time', full, async () => {
    const clip = await makeClip();
    const all = await Promise.all(Array.from({ length: 4 }, () => reader.read(sourceOf(clip))));
    expect(all.map(({ facts, stills }) => [facts.durationSecs, stills.length])).toEqual(all.map(() => [1, 5]));
  });
});
