/** File extensions of each kind. When a file is read, its content decides which type it really is. */
const endings: Readonly<Record<'image' | 'video', readonly string[]>> = {
  image: ['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'webp', 'gif', 'tif', 'tiff', 'avif', 'heic', 'heif'],
  video: ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'ts', 'mts', 'm2ts', '3gp'],
};

/** The same for file dialogs, because a browser may not know all the types. */
export const endingsOf = (resource: keyof typeof endings): string[] => endings[resource].map((ending) => `.${ending}`);

/** Whether a file is a video or an image, going by its name; null for neither. */
export function resourceOfFile(name: string): 'image' | 'video' | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (endings.video.includes(ending)) return 'video';
  return endings.image.includes(ending) ? 'image' : null;
}

/**
 * Returns the id of a file's record: its path below the folder, with `:` for `/`, so that it fits into the URL of a
 * record.
 */
export function idOfFile(path: string): string {
  return path.split(/[/\\]/).join(':');
}
