import { createRequire } from 'node:module';

/** The part of libheif that is used here; it decodes HEIC in WebAssembly. The package's own types are incomplete. */
export type Libheif = Readonly<{
  heif_context_alloc(): Context;
  heif_context_read_from_memory(context: Context, bytes: Uint8Array): LibheifFault;
  heif_js_context_get_primary_image_handle(context: Context): Picture | LibheifFault;
  heif_image_handle_get_width(picture: Picture): number;
  heif_image_handle_get_height(picture: Picture): number;
  heif_image_handle_has_alpha_channel(picture: Picture): number;
  /** Decodes into WebAssembly memory, of which the channels are views. */
  heif_js_decode_image2(picture: Picture, colors: Constant, channels: Constant): Promise<Pixels | LibheifFault>;
  heif_colorspace: Readonly<{ heif_colorspace_RGB: Constant }>;
  heif_chroma: Readonly<{ heif_chroma_interleaved_RGB: Constant; heif_chroma_interleaved_RGBA: Constant }>;
  heif_error_code: Readonly<
    Record<`heif_error_${'Ok' | 'Unsupported_feature' | 'Unsupported_filetype' | 'Memory_allocation_error'}`, Constant>
  >;
  heif_suberror_code: Readonly<Record<`heif_suberror_${'End_of_data' | 'Security_limit_exceeded'}`, Constant>>;
}>;

type Constant = Readonly<{ value: number }>;
type Context = Readonly<{ holds: 'a file' }>;
type Picture = Readonly<{ holds: 'a picture' }>;

export type LibheifFault = Readonly<{ code: Constant; subcode: Constant }>;
type Channel = Readonly<{ data: Uint8Array; stride: number; width: number; height: number }>;
type Pixels = Readonly<{ channels: readonly Channel[] }>;

/** Loads libheif, which takes a tenth of a second. */
export function loadLibheif(): Libheif {
  return createRequire(import.meta.url)('libheif-js/wasm-bundle.js') as Libheif;
}
