/** A file and its path below the chosen or dropped folder. */
export type ChosenFile = Readonly<{ path: string; file: File }>;

/** Files of a drop, and the paths of what the browser could not read. */
type DroppedFiles = Readonly<{ files: readonly ChosenFile[]; unreadable: readonly string[] }>;

/** Files of an input; for a folder, paths without its own name. */
export function chosenFiles(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])].map((file) => {
    const below = file.webkitRelativePath.split('/').slice(1).join('/');
    return { path: below === '' ? file.name : below, file };
  });
}

/** Files of a drop, including those in folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFiles> {
  // Dropped items can be read only before the first await.
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const unreadable: string[] = [];
  const files = await Promise.all(items.map((item) => filesOf(item, unreadable)));
  return { files: files.flat(), unreadable };
}

async function filesOf(item: FileSystemEntry | File | null, unreadable: string[]): Promise<ChosenFile[]> {
  if (item === null) return [];
  if (item instanceof File) return [{ path: item.name, file: item }];
  return item.isFile ? fileOf(item, item.name, unreadable) : filesIn(item, '', unreadable);
}

async function fileOf(entry: FileSystemEntry, path: string, unreadable: string[]): Promise<ChosenFile[]> {
  try {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  } catch {
    unreadable.push(path);
    return [];
  }
}

async function filesIn(folder: FileSystemEntry, below: string, unreadable: string[]): Promise<ChosenFile[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const read = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  const found: ChosenFile[] = [];
  for (;;) {
    const entries = await read().catch(() => void unreadable.push(below === '' ? folder.name : below.slice(0, -1)));
    if (entries === undefined || entries.length === 0) return found;
    for (const entry of entries) {
      const path = `${below}${entry.name}`;
      const files = entry.isFile ? fileOf(entry, path, unreadable) : filesIn(entry, `${path}/`, unreadable);
      found.push(...(await files));
    }
  }
}
