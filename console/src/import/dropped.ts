/** A file and its path below the chosen or dropped folder. */
export type ChosenFile = Readonly<{ path: string; file: File }>;

/** Files of an input; for a folder, paths without its own name. */
export function chosenFiles(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])].map((file) => {
    const below = file.webkitRelativePath.split('/').slice(1).join('/');
    return { path: below === '' ? file.name : below, file };
  });
}

/** Files of a drop, including those in folders. */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  // Dropped items can be read only before the first await.
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found = await Promise.all(items.map(filesOf));
  return found.flat();
}

async function filesOf(item: FileSystemEntry | File | null): Promise<ChosenFile[]> {
  if (item === null) return [];
  if (item instanceof File) return [{ path: item.name, file: item }];
  return item.isFile ? fileOf(item, item.name) : filesIn(item, '');
}

async function fileOf(entry: FileSystemEntry, path: string): Promise<ChosenFile[]> {
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  return [{ path, file }];
}

async function filesIn(folder: FileSystemEntry, below: string): Promise<ChosenFile[]> {
  const reader = (folder as FileSystemDirectoryEntry).createReader();
  const found: ChosenFile[] = [];
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const entry of entries) {
      const path = `${below}${entry.name}`;
      found.push(...(await (entry.isFile ? fileOf(entry, path) : filesIn(entry, `${path}/`))));
    }
  }
}
