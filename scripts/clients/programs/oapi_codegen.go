// With the client of oapi-codegen.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"example.com/clients/vitrine"
)

func main() {
	id := os.Getenv("IMAGE_ID")
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("API-Key", os.Getenv("VITRINE_KEY"))
		return nil
	}
	client := must(vitrine.NewClientWithResponses(os.Getenv("VITRINE_URL"), vitrine.WithRequestEditorFn(withKey)))
	ctx := context.Background()
	yes, prefer, lang := true, "wait=120", vitrine.LANGWRITEEN

	var body vitrine.ImageCreate
	given := map[string]any{"src_path": os.Getenv("IMAGE_PATH"), "title": id, "country": "Iceland", "keywords": []string{"one", "two"}}
	if err := json.Unmarshal(must(json.Marshal(given)), &body); err != nil {
		fail(err)
	}
	waiting := vitrine.ImgCreateImgsImageIdPostParams{Wait: &yes, Prefer: &prefer, Lang: &lang}
	created := must(client.ImgCreateImgsImageIdPostWithResponse(ctx, id, &waiting, body))
	creation := must(created.JSON201.AsOperationOut())

	fields := []vitrine.ImageField{vitrine.IMAGEFIELDTITLE, vitrine.IMAGEFIELDKEYWORDS}
	read := must(client.ImgGetImgsImageIdGetWithResponse(ctx, id, &vitrine.ImgGetImgsImageIdGetParams{Fields: &fields})).JSON200
	q, facets := "title=\""+id+"\"", []vitrine.ImageFacet{vitrine.IMAGEFACETCOUNTRY}
	query := vitrine.ImgsSearchImgsGetParams{Q: &q, Fields: &fields, Count: &yes, Facets: &facets}
	page := must(client.ImgsSearchImgsGetWithResponse(ctx, &query)).JSON200
	facet := page.Facets["country"][0]

	missing := must(client.ImgGetImgsImageIdGetWithResponse(ctx, "nowhere", nil)).JSON404
	wrong := "contry:es"
	fault := must(client.ImgsSearchImgsGetWithResponse(ctx, &vitrine.ImgsSearchImgsGetParams{Q: &wrong})).JSON422

	var change vitrine.ImageUpdate
	if err := json.Unmarshal([]byte(`{"city": "Vik"}`), &change); err != nil {
		fail(err)
	}
	accepted := must(client.ImgUpdateImgsImageIdPatchWithResponse(ctx, id, nil, change))
	number := must(accepted.JSON202.AsPendingOperation()).OperationId
	operation := must(client.OpsGetOpsOpIdGetWithResponse(ctx, number)).JSON200
	for tries := 0; !operation.IsFinished && tries < 600; tries++ {
		time.Sleep(100 * time.Millisecond)
		operation = must(client.OpsGetOpsOpIdGetWithResponse(ctx, number)).JSON200
	}

	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	part := must(writer.CreateFormFile("image", "picture.jpg"))
	must(io.Copy(part, must(os.Open(os.Getenv("PICTURE")))))
	_ = writer.WriteField("colors", "true")
	_ = writer.Close()
	tags := must(client.TagImageTagImagePostWithBodyWithResponse(ctx, writer.FormDataContentType(), &form)).JSON200
	leaving := vitrine.ImgDeleteImgsImageIdDeleteParams{Wait: &yes, Prefer: &prefer}
	removed := must(client.ImgDeleteImgsImageIdDeleteWithResponse(ctx, id, &leaving))
	removal := must(removed.JSON200.AsOperationOut())

	fmt.Println(string(must(json.Marshal(map[string]any{
		"created": creation.NumGood, "title": read.Title, "keywords": read.Keywords,
		"listed": page.Results[0].Title, "count": page.Count, "facet": []any{facet.Value, facet.Count},
		"missing": missing.Detail, "fault": fault.Detail[0].Type,
		"changed": operation.NumGood, "finished": operation.IsFinished,
		"color": firstHex(tags), "deleted": removal.NumGood,
	}))))
}

func firstHex(tags *vitrine.TagImageResponse) string {
	var read struct{ Colors []vitrine.Color }
	if err := json.Unmarshal(must(json.Marshal(tags)), &read); err != nil {
		fail(err)
	}
	return read.Colors[0].Hex
}
