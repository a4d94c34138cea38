/** Decoded pixels: upright, sRGB, row by row, `channels` bytes each (red, green, blue, perhaps alpha). */
export type Raster = Readonly<{ data: Uint8Array; width: number; height: number; channels: 3 | 4 }>;
