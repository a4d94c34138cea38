/** Limits of the input and output of tools. */
export const toolLimits = {
  /** Records in one reply. */
  records: 50,
  /** Previews in one reply. */
  previews: 6,
  /** Values in the JSON of one message, including lists and objects. */
  values: 5_000,
  /** Base64 characters of a picture: a string in a JSON body may have one mebibyte. */
  pictureCharacters: 1_000_000,
} as const;
