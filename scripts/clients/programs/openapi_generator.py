"""With the client of openapi-generator's python."""

import json
import os
import time
from pathlib import Path

import openapi_client as vitrine

configuration = vitrine.Configuration(host=os.environ["VITRINE_URL"], api_key={"APIKeyHeader": os.environ["VITRINE_KEY"]})
client = vitrine.ApiClient(configuration)
images, operations = vitrine.ImagesApi(client), vitrine.OperationsApi(client)
image_id = os.environ["IMAGE_ID"]

body = vitrine.ImageCreate(src_path=os.environ["IMAGE_PATH"], title=image_id, country="Iceland", keywords=["one", "two"])
created = images.img_create_imgs_image_id_post(image_id, body, wait=True, prefer="wait=120", lang=vitrine.LangWrite.LANG_WRITE_EN)
assert isinstance(created.actual_instance, vitrine.OperationOut)

fields = [vitrine.ImageField.IMAGE_FIELD_TITLE, vitrine.ImageField.IMAGE_FIELD_KEYWORDS]
read = images.img_get_imgs_image_id_get(image_id, fields=fields)
page = images.imgs_search_imgs_get(
    q=f'title="{image_id}"', fields=fields, facets=[vitrine.ImageFacet.IMAGE_FACET_COUNTRY], count=True
)
facet = page.facets["country"][0]

try:
    images.img_get_imgs_image_id_get("nowhere")
    raise SystemExit("a picture that does not exist was read")
except vitrine.exceptions.NotFoundException as error:
    missing = error.data
    assert isinstance(missing, vitrine.ErrorResponse)
try:
    images.imgs_search_imgs_get(q="contry:es")
    raise SystemExit("a formula with a mistake was answered")
except vitrine.exceptions.UnprocessableEntityException as error:
    fault = error.data
    assert isinstance(fault, vitrine.HTTPValidationError)

accepted = images.img_update_imgs_image_id_patch(image_id, vitrine.ImageUpdate(city="Vik"))
assert isinstance(accepted.actual_instance, vitrine.PendingOperation)
for _ in range(600):
    operation = operations.ops_get_ops_op_id_get(accepted.actual_instance.operation_id)
    if operation.is_finished:
        break
    time.sleep(0.1)

picture = ("picture.jpg", Path(os.environ["PICTURE"]).read_bytes())
tags = vitrine.TaggingApi(client).tag_image_tag_image_post(image=picture, colors=True)
removed = images.img_delete_imgs_image_id_delete(image_id, wait=True, prefer="wait=120")

print(
    json.dumps(
        {
            "created": created.actual_instance.num_good,
            "title": read.title,
            "keywords": read.keywords,
            "listed": page.results[0].title,
            "count": page.count,
            "facet": [facet.value.actual_instance, facet.count],
            "missing": missing.detail,
            "fault": fault.detail[0].type,
            "changed": operation.num_good,
            "finished": operation.is_finished,
            "color": tags.colors[0].hex,
            "deleted": removed.actual_instance.num_good,
        }
    )
)
