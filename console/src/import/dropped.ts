/** A file and its path below what was chosen or dropped. */
export type ChosenFile = Readonly<{ path: string; file: File }>;

/** Files of an input; of a folder its own name is left out. */
export function chosenFiles(list: FileList | null): ChosenFile[] {
  return [...(list ?? [])].map((file) => {
    const below = file.webkitRelativePath.split('/').slice(1).join('/');
    return { path: below === '' ? file.name : below, file };
  });
}

/** Files of a drop, those in folders included. */
export async function droppedFiles(transfer: DataTransfer): Promise<ChosenFile[]> {
  // What is dropped can be read only before anything is awaited.
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
