/** File name extensions of each kind; the content decides the actual type when a file is read. */
const endings: Readonly<Record<'image' | 'video', readonly string[]>> = {
  image: ['jpg', 'jpeg', 'jpe', 'jfif', 'png', 'webp', 'gif', 'tif', 'tiff', 'avif', 'heic', 'heif'],
  video: ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'ts', 'mts', 'm2ts', '3gp'],
};

/** The same for lists of files to choose from, where a browser may not know the types of all. */
export const endingsOf = (resource: keyof typeof endings): string[] => endings[resource].map((ending) => `.${ending}`);

/** Whether a file counts as a video or an image, judged by its name; null for neither. */
export function resourceOfFile(name: string): 'image' | 'video' | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (endings.video.includes(ending)) return 'video';
  return endings.image.includes(ending) ? 'image' : null;
}

/**
 * Returns the id of a file's record: its path below the folder, with `:` for `/`, which URLs of single records can contain.
 */
export function idOfFile(path: string): string {
  return path.split(/[/\\]/).join(':');
}
