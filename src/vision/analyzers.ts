import type { AnalyzerName, Context, Facts, Language, Warning } from './facts.ts';
import type { Raster } from './raster.ts';

/** What an analyser works on. Those that need it find bytes, pixels or the results of others in it. */
export type View = Readonly<{
  /** The file; only for analysers that need `bytes`. */
  bytes: Uint8Array | null;
  /** The upright picture in sRGB, at most 512 pixels long. */
  small: Raster | null;
  /** The same, at most 1600 pixels long. */
  large: Raster | null;
  /** Of the upright picture, before it was made smaller. */
  width: number;
  height: number;
  /** Wanted languages, the most wanted first. */
  langs: readonly Language[];
  context: Context;
  /** What the analysers named in `after` found. */
  found: Partial<Facts>;
  /** Folder with more languages of lettering, as `<code>.traineddata`. */
  tessdataDir: string | null;
  warn: (warning: Warning) => void;
}>;

/** One way of finding something out about a picture. */
export type Analyzer<Name extends AnalyzerName = AnalyzerName> = Readonly<{
  name: Name;
  /** Changes whenever results do; records analysed by an older one are stale. */
  version: string;
  needs: readonly ('bytes' | 'small' | 'large')[];
  /** Analysers whose results it works on. They run before it, wanted or not. */
  after: readonly AnalyzerName[];
  /** A thread that works longer is ended, which costs this result. */
  maxSeconds: number;
  run: (view: View) => Facts[Name] | Promise<Facts[Name]>;
}>;
