// With the client of openapi-generator's go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	vitrine "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func modelOf(err error) any {
	if failure, ok := err.(*vitrine.GenericOpenAPIError); ok {
		return failure.Model()
	}
	fail(fmt.Sprintf("expected a typed error, got %v", err))
	return nil
}

func main() {
	url, id := os.Getenv("VITRINE_URL"), os.Getenv("IMAGE_ID")
	configuration := vitrine.NewConfiguration()
	configuration.Servers = vitrine.ServerConfigurations{{URL: url}}
	configuration.AddDefaultHeader("API-Key", os.Getenv("VITRINE_KEY"))
	client := vitrine.NewAPIClient(configuration)
	ctx := context.Background()
	images := client.ImagesAPI

	body := *vitrine.NewImageCreate()
	body.SetSrcPath(os.Getenv("IMAGE_PATH"))
	body.SetTitle(id)
	body.SetCountry("Iceland")
	body.SetKeywords([]string{"one", "two"})
	create := images.ImgCreateImgsImageIdPost(ctx, id).ImageCreate(body).Wait(true).Lang(vitrine.LANG_WRITE_EN)
	created, _, err := create.Prefer("wait=120").Execute()
	must(created, err)

	fields := []vitrine.ImageField{vitrine.IMAGE_FIELD_TITLE, vitrine.IMAGE_FIELD_KEYWORDS}
	read, _, err := images.ImgGetImgsImageIdGet(ctx, id).Fields(fields).Execute()
	must(read, err)
	search := images.ImgsSearchImgsGet(ctx).Q("title=\"" + id + "\"").Fields(fields).Count(true)
	page, _, err := search.Facets([]vitrine.ImageFacet{vitrine.IMAGE_FACET_COUNTRY}).Execute()
	must(page, err)
	facet := page.Facets["country"][0]

	_, _, err = images.ImgGetImgsImageIdGet(ctx, "nowhere").Execute()
	missing := modelOf(err).(vitrine.ErrorResponse)
	_, _, err = images.ImgsSearchImgsGet(ctx).Q("contry:es").Execute()
	fault := modelOf(err).(vitrine.HTTPValidationError).Detail[0]

	change := *vitrine.NewImageUpdate()
	change.SetCity("Vik")
	accepted, _, err := images.ImgUpdateImgsImageIdPatch(ctx, id).ImageUpdate(change).Execute()
	must(accepted, err)
	if accepted.PendingOperation == nil {
		fail("the change was not accepted for later")
	}
	number := accepted.PendingOperation.OperationId
	operation, _, err := client.OperationsAPI.OpsGetOpsOpIdGet(ctx, number).Execute()
	for tries := 0; must(operation, err).IsFinished == false && tries < 600; tries++ {
		time.Sleep(100 * time.Millisecond)
		operation, _, err = client.OperationsAPI.OpsGetOpsOpIdGet(ctx, number).Execute()
	}

	file := must(os.Open(os.Getenv("PICTURE")))
	tags, _, err := client.TaggingAPI.TagImageTagImagePost(ctx).Image(file).Colors(true).Execute()
	must(tags, err)
	removed, _, err := images.ImgDeleteImgsImageIdDelete(ctx, id).Wait(true).Prefer("wait=120").Execute()
	must(removed, err)

	fmt.Println(string(must(json.Marshal(map[string]any{
		"created": created.OperationOut.NumGood, "title": read.GetTitle(), "keywords": read.GetKeywords(),
		"listed": page.Results[0].GetTitle(), "count": page.GetCount(),
		"facet": []any{*facet.Value.Get().String, facet.Count},
		"missing": missing.Detail, "fault": fault.Type,
		"changed": operation.NumGood, "finished": operation.IsFinished,
		"color": tags.Colors[0].Hex, "deleted": removed.OperationOut.NumGood,
	}))))
}
