import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { ElementError } from '../../lib/errors.ts';
import { builtFile } from '../../lib/package-root.ts';
import type { EmbeddedFields } from '../analyzers/embedded-values.ts';
import { none } from './messages.ts';
import type { VideoOrder, VideoReport, VideoFacts, VideoStills, WantedOfVideo } from './messages.ts';

/** The compiled program: Node does not run TypeScript. */
const program = builtFile('analysis/video/process.js');

/** A source with random access. */
export type VideoSource = Readonly<{
  size: number;
  isSeekable: boolean;
  read(start: number, end: number): Promise<Uint8Array>;
}>;

/** The metadata is read with the frames only. */
export type VideoReading = Readonly<{ facts: VideoFacts; metadata: EmbeddedFields }> & VideoStills;

type VideoReaderLimits = Readonly<{
  /** Time limit for the container, excluding the time that the source takes to deliver bytes. */
  factsMs: number;
  /** The same for the frames, in addition to that. */
  stillsMs: number;
  /** A process without work ends after this time. */
  idleMs: number;
}>;

export const videoLimits: VideoReaderLimits = { factsMs: 15_000, stillsMs: 20_000, idleMs: 10_000 };

type VideoReaderOptions = Readonly<{
  limits?: VideoReaderLimits;
}>;

type VideoReadOptions = Readonly<{ wants?: WantedOfVideo; lang?: string; signal?: AbortSignal }>;

/** Reads videos in separate processes, each one video at a time. */
export type VideoReader = Readonly<{
  /**
   * Reads the container's facts and the wanted frames. If the frames fail, the facts are returned anyway.
   *
   * @throws ElementError `unsupported_media` or `decode_failed`, and whatever the source throws.
   */
  read(source: VideoSource, options?: VideoReadOptions): Promise<VideoReading>;
  close(): void;
}>;

export function createVideoReader({ limits = videoLimits }: VideoReaderOptions = {}): VideoReader {
  const all = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();

  function take(): ChildProcess {
    const [known] = idle.keys();
    if (known !== undefined) {
      clearTimeout(idle.get(known));
      idle.delete(known);
      known.ref();
      known.channel?.ref();
      return known;
    }
    const child = fork(program, {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: ['--max-old-space-size=256', '--expose-gc'],
      // Makes decoding threads share two malloc arenas: with one arena each, the memory of closed frames would be
      // kept.
      env: { MALLOC_ARENA_MAX: '2' },
    });
    all.add(child);
    child.once('exit', () => {
      all.delete(child);
      clearTimeout(idle.get(child));
      idle.delete(child);
    });
    child.on('error', () => {}); // The exit of the process is noticed elsewhere.
    return child;
  }

  /** An idle process does not keep this one alive. */
  function giveBack(child: ChildProcess): void {
    if (!child.connected) return;
    child.unref();
    child.channel?.unref();
    const end = () => {
      idle.delete(child); // Its exit event comes later: until then, no reader may take it.
      child.kill('SIGKILL');
    };
    idle.set(child, setTimeout(end, limits.idleMs).unref());
  }

  async function read(source: VideoSource, { signal, ...wanted }: VideoReadOptions = {}): Promise<VideoReading> {
    signal?.throwIfAborted();
    if (source.size === 0) throw new ElementError('decode_failed', 'the source is empty');
    const child = take();
    const abort = () => child.kill('SIGKILL');
    signal?.addEventListener('abort', abort);
    const { outcome, isFit } = await converse(child, source, { ...wanted, limits });
    signal?.removeEventListener('abort', abort);
    if (isFit) giveBack(child);
    else child.kill('SIGKILL');
    signal?.throwIfAborted();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  return {
    read,
    close() {
      for (const child of all) child.kill('SIGKILL');
    },
  };
}

type Terms = Omit<VideoReadOptions, 'signal'> & Readonly<{ limits: VideoReaderLimits }>;

/** How a conversation ended, and whether the process may read another video. */
type Ended = Readonly<{ outcome: VideoReading | Error; isFit: boolean }>;

let lastVideo = 0;
const noFrames: VideoStills = { stills: [], poster: null, filmstrip: null, fault: null };

/** Reads one video in one process: sends it the bytes that it requests until it has reported everything. */
function converse(child: ChildProcess, source: VideoSource, terms: Terms): Promise<Ended> {
  const { wants = 'frames', lang = 'en', limits } = terms;
  const video = (lastVideo += 1);
  return new Promise<Ended>((resolve) => {
    let facts: VideoFacts | null = null;
    let stills: VideoStills | null = null;
    const say = (order: VideoOrder) => child.connected && child.send(order, () => {});
    const clock = createClock(limits.factsMs, () => {
      const secs = (facts === null ? limits.factsMs : limits.stillsMs) / 1000;
      fail(failed(`reading it took more than ${secs} s`), `decoding its frames took more than ${secs} s`);
    });

    function end(outcome: VideoReading | Error, isFit: boolean): void {
      clock.stop();
      child.off('message', hear);
      child.off('exit', gone);
      child.off('error', gone);
      resolve({ outcome, isFit });
    }

    const finish = (metadata: EmbeddedFields = {}) =>
      facts !== null && end({ facts, metadata, ...(stills ?? noFrames) }, true);

    /** Once the facts have arrived, an error no longer fails the video; frames that have arrived stay. */
    function fail(error: Error, fault: string, isFit = false): void {
      end(facts === null ? error : { facts, metadata: {}, ...(stills ?? none(fault)) }, isFit);
    }

    function gone(): void {
      fail(failed('it crashed the process that read it'), 'its frames crashed the process that decoded them');
    }

    function hear(report: VideoReport): void {
      if (report.video !== video) return;
      switch (report.type) {
        case 'need':
          give(source, report, { clock, say }).catch((error: Error) =>
            fail(error, `its frames could not be read: ${error.message}`),
          );
          break;
        case 'facts':
          ({ facts } = report);
          if (wants === 'facts') finish();
          else clock.begin(limits.stillsMs);
          break;
        case 'fault':
          fail(new ElementError(report.code, report.message), 'its frames could not be decoded', true);
          break;
        case 'stills':
          ({ stills } = report);
          if (wants !== 'frames') finish();
          break;
        case 'metadata':
          finish(report.metadata);
          break;
        default:
          report satisfies never;
      }
    }

    child.on('message', hear);
    child.once('exit', gone);
    child.once('error', gone);
    say({ type: 'read', video, size: source.size, isSeekable: source.isSeekable, wants, lang });
  });
}

type Given = Readonly<{ clock: Clock; say: (order: VideoOrder) => unknown }>;

async function give(
  source: VideoSource,
  { id, start, end }: Readonly<{ id: number; start: number; end: number }>,
  { clock, say }: Given,
): Promise<void> {
  clock.pause();
  const bytes = await source.read(start, end);
  clock.goOn();
  say({ type: 'bytes', id, bytes });
}

function failed(reason: string): ElementError {
  return new ElementError('decode_failed', `the video is broken: ${reason}`);
}

type Clock = Readonly<{ begin(ms: number): void; pause(): void; goOn(): void; stop(): void }>;

/** Measures the time that a process spends itself, excluding its waits for bytes. */
function createClock(ms: number, onEnd: () => void): Clock {
  let left = ms;
  let since = performance.now();
  let pauses = 0;
  let timer = setTimeout(onEnd, left);
  const run = () => {
    since = performance.now();
    timer = setTimeout(onEnd, left);
  };
  return {
    begin(limit) {
      clearTimeout(timer);
      left = limit;
      if (pauses === 0) run();
    },
    pause() {
      if ((pauses += 1) > 1) return;
      clearTimeout(timer);
      left -= performance.now() - since;
    },
    goOn() {
      if ((pauses -= 1) === 0) run();
    },
    stop() {
      pauses = Infinity;
      clearTimeout(timer);
    },
  };
}
