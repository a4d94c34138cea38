"""A whole day in forty lines: VITRINE_URL=http://127.0.0.1:4000 VITRINE_KEY=… python whole_day.py PICTURE…"""

import csv
import os
import sys
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

    imported = vitrine.images.create(records, lang="en")
    for event in imported.follow():
        print(f"{event.type}: {event.num_good} of {event.num_total}")
    imported.wait()

    mine = f.any_of("collections", ["Python"])
    patched = vitrine.images.patch_where(mine, {"country": "Spain", "keywords": {"add": ["day"]}})
    print(f"Changed {patched.wait().num_good} records")
    patched.undo().wait()
    print(f"Taken back: {vitrine.images.count(mine & f.eq('country', 'Spain'))} are in Spain")

    fields = ["image_id", "title", "width", "height"]
    found = [image.model_dump() for image in vitrine.images.search(mine, fields=fields, sort="title", order="asc")]
    with open("day.csv", "w", newline="") as file:
        table = csv.DictWriter(file, fields, extrasaction="ignore")
        table.writeheader()
        table.writerows(found)
    print(f"Exported {len(found)} records to day.csv")
