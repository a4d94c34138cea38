"""A whole day in forty lines: VITRINE_URL=http://127.0.0.1:4000 VITRINE_KEY=… python whole_day.py PICTURE…"""

import os
import sys
import time
from pathlib import Path

from vitrine_client import Vitrine, f

with Vitrine(os.environ.get("VITRINE_URL", "http://127.0.0.1:4000"), os.environ["VITRINE_KEY"]) as vitrine:
    me = vitrine.me()
    print(f"Signed in as {me.client_name}, {me.role_name}")

    records = []
    for path in map(Path, sys.argv[1:]):
        source = vitrine.uploads.send(path)
        records.append({"id": f"python:{path.name}", "src_path": source, "title": path.name, "collections": ["Python"]})
    print(f"Uploaded {len(records)} files")

    mine = f.any_of("collections", ["Python"])
    watched = vitrine.formulas.save(f"Python {time.time()}", mine, watching=True).name
    imported = vitrine.images.create(records, lang="en")
    for event in imported.follow():
        print(f"{event.type}: {event.num_good} of {event.num_total}")
    imported.wait()
    for _, told in zip(records, vitrine.formulas.follow(watched, after=0)):
        print(f"Told of {told.id}")
    vitrine.formulas.delete(watched)

    patched = vitrine.images.patch_where(mine, {"country": "Spain", "keywords": {"add": ["day"]}})
    print(f"Changed {patched.wait().num_good} records")
    patched.undo().wait()
    print(f"Taken back: {vitrine.images.count(mine & f.eq('country', 'Spain'))} are in Spain")

    for image in vitrine.images.search(mine, sort="title", order="asc"):
        print(f"Found {image.title}")
    exported = vitrine.images.export(mine, "day.csv", fields=["title", "width", "height"])
    print(f"Exported {exported.num_records} records to day.csv")
