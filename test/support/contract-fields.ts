const named = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

/** Section 4.5 of the contract: what `fields` of images may name, in its order. */
export const contractImageFields = named(`
  image_id, src, src_path, url_img_watermark, url_img_thumbnail, title, headline, caption, alt_text, ai_generated,
  model_release, property_release, nsfw, status, date, location, city, country, event, author, provider, shot, scene,
  technique, medium, keywords, categories, collections, height, width, n_faces`);

/** Section 4.2: what images may be sorted by. */
export const contractImageSorts = [
  '',
  ...named(`
    image_id, src, url_img_watermark, url_img_thumbnail, height, width, aspect_ratio, n_faces, date, title, headline,
    caption, location, city, country, event, author, provider, shot, scene, medium, technique, similarity, sim`),
];

/** Section 2.2: the fields of videos. */
export const contractVideoFields = named(`
  video_id, id, src, thumbnail_url, preview_url, img_src, img_zoom, date, location, city, country, event, author,
  provider, keywords, categories, collections, title, headline, description, alt_text, status, medium, ai_generated,
  model_release, property_release, nsfw, container, codec_video, codec_audio, height, width, aspect_ratio, fps,
  duration_secs`);
