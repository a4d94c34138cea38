// With the client of openapi-generator's java.

import java.io.File;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.ImagesApi;
import org.openapitools.client.api.OperationsApi;
import org.openapitools.client.api.TaggingApi;
import org.openapitools.client.model.*;

public final class OpenapiGenerator {
  public static void main(String[] arguments) throws Exception {
    String id = System.getenv("IMAGE_ID");
    ApiClient client = new ApiClient().setBasePath(System.getenv("VITRINE_URL")).setReadTimeout(180_000);
    client.setApiKey(System.getenv("VITRINE_KEY"));
    ImagesApi images = new ImagesApi(client);
    OperationsApi operations = new OperationsApi(client);

    ImageCreate body = new ImageCreate().srcPath(System.getenv("IMAGE_PATH")).title(id).country("Iceland").keywords(List.of("one", "two"));
    WriteReply created = images.imgCreateImgsImageIdPost(id, body, true, null, null, null, LangWrite.LANG_WRITE_EN, null, null, "wait=120");

    List<ImageField> fields = List.of(ImageField.IMAGE_FIELD_TITLE, ImageField.IMAGE_FIELD_KEYWORDS);
    Image read = images.imgGetImgsImageIdGet(id, fields, null);
    ImagePage page = images.imgsSearchImgsGet("title=\"" + id + "\"", null, null, null, null, fields, List.of(ImageFacet.IMAGE_FACET_COUNTRY), true, null, null, null);
    FacetValue facet = page.getFacets().get("country").get(0);

    ErrorResponse missing = ErrorResponse.fromJson(bodyOf(404, () -> images.imgGetImgsImageIdGet("nowhere", null, null)));
    HTTPValidationError fault = HTTPValidationError.fromJson(
        bodyOf(422, () -> images.imgsSearchImgsGet("contry:es", null, null, null, null, null, null, null, null, null, null)));

    WriteReply accepted = images.imgUpdateImgsImageIdPatch(id, new ImageUpdate().city("Vik"), null, null, null, null, null, null, null, null, null, null);
    Long number = accepted.getPendingOperation().getOperationId();
    OperationOut operation = operations.opsGetOpsOpIdGet(number);
    for (int tries = 0; !operation.getIsFinished() && tries < 600; tries += 1) {
      Thread.sleep(100);
      operation = operations.opsGetOpsOpIdGet(number);
    }

    File picture = new File(System.getenv("PICTURE"));
    TagImageResponse tags = new TaggingApi(client).tagImageTagImagePost(picture, null, null, null, null, null, null, null, null, null, null, true);
    WriteReply removed = images.imgDeleteImgsImageIdDelete(id, true, null, null, null, null, null, "wait=120");

    Map<String, Object> told = new LinkedHashMap<>();
    told.put("created", created.getOperationOut().getNumGood());
    told.put("title", read.getTitle());
    told.put("keywords", read.getKeywords());
    told.put("listed", page.getResults().get(0).getTitle());
    told.put("count", page.getCount());
    told.put("facet", List.of(facet.getValue().getString(), facet.getCount()));
    told.put("missing", missing.getDetail());
    told.put("fault", fault.getDetail().get(0).getType());
    told.put("changed", operation.getNumGood());
    told.put("finished", operation.getIsFinished());
    told.put("color", tags.getColors().get(0).getHex());
    told.put("deleted", removed.getOperationOut().getNumGood());
    System.out.println(JSON.getGson().toJson(told));
    System.exit(0); // Idle connections would keep the program for a minute.
  }

  private interface Call {
    Object call() throws ApiException;
  }

  private static String bodyOf(int status, Call call) throws ApiException {
    try {
      throw new IllegalStateException("expected " + status + ", got " + call.call());
    } catch (ApiException failure) {
      if (failure.getCode() != status) throw failure;
      return failure.getResponseBody();
    }
  }
}
