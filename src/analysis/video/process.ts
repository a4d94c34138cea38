import process from 'node:process';
import { CustomSource, Input } from 'mediabunny';
import { ElementError } from '../../lib/errors.ts';
import { containers, indexed } from './containers.ts';
import { loadDecoder } from './decoder.ts';
import { openFrames } from './find-frames.ts';
import { none } from './messages.ts';
import type { VideoFacts, VideoOrder, VideoReport, VideoStills, VideoTask, WantedOfVideo } from './messages.ts';
import { broken, readVideoFacts } from './read-facts.ts';
import { readVideoMetadata } from './read-metadata.ts';
import { readStills } from './read-stills.ts';
import { readFilmstrip } from './read-filmstrip.ts';

/**
 * The process that reads videos, one at a time. It parses containers and decodes frames, so that an endless loop, excessive
 * memory or a fault of the decoder ends nothing else. It has no network, no files and no environment; bytes are sent to it.
 */

/** The process exits if it uses more bytes than this, because native memory has no other limit. */
const maxBytes = 1536 * 2 ** 20;
const pollMs = 100;
/** Bytes of a source that the reader caches. */
const keptBytes = 8 * 2 ** 20;

let decoder: Promise<string | null> | undefined;
const waiting = new Map<number, (bytes: Uint8Array) => void>();
let lastId = 0;

function say(report: VideoReport): void {
  process.send?.(report);
}

function askFor(video: number, start: number, end: number): Promise<Uint8Array> {
  return new Promise((resolve) => {
    const id = (lastId += 1);
    waiting.set(id, resolve);
    say({ type: 'need', video, id, start, end });
  });
}

async function read({ video, size, isSeekable, wants, lang }: VideoTask): Promise<void> {
  waiting.clear();
  const readBytes = (start: number, end: number) => askFor(video, start, end);
  const source = new CustomSource({
    getSize: () => size,
    read: readBytes,
    maxCacheSize: keptBytes,
    handleUnhandledError: () => {},
  });
  const input = new Input({ source, formats: Object.values(containers) });
  try {
    const facts = await readVideoFacts(input, { isSeekable });
    say({ type: 'facts', video, facts });
    if (wants === 'facts') return;
    say({ type: 'stills', video, stills: await framesOf(input, facts, wants) });
    if (wants !== 'frames') return;
    // Last, because a fault in it then loses no frames: attachments of Matroska may be larger than what may be read.
    const file = { size, isSeekable, isIndexed: indexed.includes(facts.container), read: readBytes };
    say({ type: 'metadata', video, metadata: await readVideoMetadata(input, file, lang) });
  } finally {
    input.dispose();
  }
}

async function framesOf(input: Input, facts: VideoFacts, wants: Exclude<WantedOfVideo, 'facts'>): Promise<VideoStills> {
  const fault = await (decoder ??= loadDecoder());
  const track = await input.getPrimaryVideoTrack();
  if (track === null || fault !== null) return none(fault ?? '');
  const frames = await openFrames(track, facts.codecVideo);
  if (typeof frames === 'string') return none(frames);
  return typeof wants === 'string' ? readStills(frames, facts, wants) : readFilmstrip(frames, facts, wants);
}

process.on('message', (order: VideoOrder) => {
  if (order.type === 'bytes') {
    waiting.get(order.id)?.(order.bytes);
    waiting.delete(order.id);
    return;
  }
  read(order).catch((error: unknown) => {
    const { code, message } = error instanceof ElementError ? error : broken('its container cannot be read');
    say({ type: 'fault', video: order.video, code, message });
  });
});
process.on('disconnect', () => process.exit());
// If the service ended while this module was loading, no event tells us.
if (!process.connected) process.exit();
// Keys that stop the service signal its whole process group; a running read may still finish.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes) process.exit(1);
}, pollMs);
