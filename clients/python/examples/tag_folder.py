"""Tags the pictures of a folder, stores them with their keywords, and lists duplicates: python tag_folder.py FOLDER"""

import os
import sys
from pathlib import Path

from vitrine_client import Vitrine, f

folder = Path(sys.argv[1])
with Vitrine(os.environ.get("VITRINE_URL", "http://127.0.0.1:4000"), os.environ["VITRINE_KEY"]) as vitrine:
    records = []
    for path in sorted(folder.glob("*.jpg")):
        tags = vitrine.tag(path.read_bytes(), caption=True, keywords=True)
        print(f"{path.name}: {', '.join(tags.keywords or [])}")
        source = vitrine.uploads.send(path)
        texts = {"caption": tags.caption or None, "keywords": tags.keywords or None}
        records.append({"id": f"tagged:{path.name}", "src_path": source, **texts, "collections": ["Tagged"]})
    stored = vitrine.images.replace(records, lang="en", upsert=True).wait()
    print(f"{stored.num_good} pictures stored")

    vitrine.find_duplicates(tier="same").wait()
    for group in vitrine.duplicates(limit=100).results:
        ids = [member.image_id for member in group.members]
        if any(id.startswith("tagged:") for id in ids):
            print(f"Duplicates: {', '.join(ids)}")
    print(f"{vitrine.images.count(f.any_of('collections', ['Tagged']))} pictures are tagged")
