/** What files of each kind are called; the content decides what they are when they are read. */
const endings: Readonly<Record<'image' | 'video', readonly string[]>> = {
  image: ['jpg', 'jpeg', 'png', 'webp', 'gif', 'tif', 'tiff', 'avif', 'heic', 'heif'],
  video: ['mp4', 'm4v', 'mov', 'mkv', 'webm', 'ts', 'm2ts'],
};

/** Whether a file is taken for one of a video, or of a picture, by its name; null for neither. */
export function resourceOfFile(name: string): 'image' | 'video' | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  if (endings.video.includes(ending)) return 'video';
  return endings.image.includes(ending) ? 'image' : null;
}

/** The id of a file's record: its path below the folder, with `:` for `/`, which single-record addresses can hold. */
export function idOfFile(path: string): string {
  return path.split(/[/\\]/).join(':');
}
