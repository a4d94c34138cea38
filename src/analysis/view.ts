import type { PictureContext, Facts, Language, Warning } from './facts.ts';
import type { RunNetwork } from './networks/network.ts';
import type { Raster } from './raster.ts';

/** Input of an analyzer: bytes, pixels and results of other analyzers, each only if it needs them. */
export type View = Readonly<{
  /** The file; only for analyzers that need `bytes`. */
  bytes: Uint8Array | null;
  /** The upright picture in sRGB, at most 512 pixels long. */
  small: Raster | null;
  /** The same, at most 1600 pixels long. */
  large: Raster | null;
  /** Size of the upright picture, before it was made smaller. */
  width: number;
  height: number;
  /** Requested languages in order of preference; never empty. */
  langs: readonly [Language, ...Language[]];
  context: PictureContext;
  /** Results of the analyzers named in `after`. */
  found: Partial<Facts>;
  /** Folder with additional OCR languages, as `<code>.traineddata`. */
  tessdataDir: string | null;
  run: RunNetwork;
  warn: (warning: Warning) => void;
}>;

/** The part of a view that is sent to a thread; the thread adds the rest. */
export type SentView = Omit<View, 'run' | 'warn'>;
