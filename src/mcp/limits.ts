/** Limits of what tools take and answer. */
export const toolLimits = {
  /** Records of one answer. */
  records: 50,
  /** Previews of one answer. */
  previews: 6,
  /** Characters of a picture in base64: one string of a JSON body may have a mebibyte. */
  pictureCharacters: 1_000_000,
} as const;
