"""With the client of openapi-python-client."""

import json
import os
import time
from pathlib import Path

from media_catalog_client import AuthenticatedClient, models
from media_catalog_client.api.images import (
    img_create_imgs_image_id_post,
    img_delete_imgs_image_id_delete,
    img_get_imgs_image_id_get,
    img_update_imgs_image_id_patch,
    imgs_search_imgs_get,
)
from media_catalog_client.api.operations import ops_get_ops_op_id_get
from media_catalog_client.api.tagging import tag_image_tag_image_post
from media_catalog_client.types import File

client = AuthenticatedClient(
    base_url=os.environ["VITRINE_URL"],
    token=os.environ["VITRINE_KEY"],
    prefix="",
    auth_header_name="API-Key",
    timeout=180,
)
image_id = os.environ["IMAGE_ID"]

body = models.ImageCreate(src_path=os.environ["IMAGE_PATH"], title=image_id, country="Iceland", keywords=["one", "two"])
created = img_create_imgs_image_id_post.sync(
    image_id, client=client, body=body, wait=True, prefer="wait=120", lang=models.LangWrite.LANG_WRITE_EN
)
assert isinstance(created, models.OperationOut)

fields = [models.ImageField.IMAGE_FIELD_TITLE, models.ImageField.IMAGE_FIELD_KEYWORDS]
read = img_get_imgs_image_id_get.sync(image_id, client=client, fields=fields)
assert isinstance(read, models.Image)
page = imgs_search_imgs_get.sync(
    client=client,
    q=f'title="{image_id}"',
    fields=fields,
    facets=[models.ImageFacet.IMAGE_FACET_COUNTRY],
    count=True,
)
assert isinstance(page, models.ImagePage)
facet = page.facets["country"][0]

missing = img_get_imgs_image_id_get.sync("nowhere", client=client)
assert isinstance(missing, models.ErrorResponse)
fault = imgs_search_imgs_get.sync(client=client, q="contry:es")
assert isinstance(fault, models.HTTPValidationError)

accepted = img_update_imgs_image_id_patch.sync(image_id, client=client, body=models.ImageUpdate(city="Vik"))
assert isinstance(accepted, models.PendingOperation)
for _ in range(600):
    operation = ops_get_ops_op_id_get.sync(accepted.operation_id, client=client)
    assert isinstance(operation, models.OperationOut)
    if operation.is_finished:
        break
    time.sleep(0.1)

with Path(os.environ["PICTURE"]).open("rb") as picture:
    form = models.BodyTagImageTagImagePost(image=File(payload=picture, file_name="picture.jpg"), colors=True)
    tags = tag_image_tag_image_post.sync(client=client, body=form)
assert isinstance(tags, models.TagImageResponse)
removed = img_delete_imgs_image_id_delete.sync(image_id, client=client, wait=True, prefer="wait=120")
assert isinstance(removed, models.OperationOut)

print(
    json.dumps(
        {
            "created": created.num_good,
            "title": read.title,
            "keywords": read.keywords,
            "listed": page.results[0].title,
            "count": page.count,
            "facet": [facet.value, facet.count],
            "missing": missing.detail,
            "fault": fault.detail[0].type_,
            "changed": operation.num_good,
            "finished": operation.is_finished,
            "color": tags.colors[0].hex_,
            "deleted": removed.num_good,
        }
    )
)
