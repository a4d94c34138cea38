import { defaultImageFields, imageFacets, imageFields, imageSorts, imageWriteFields } from '../contract.ts';
import { recordEndpoints } from './records.ts';

export const imageEndpoints = recordEndpoints({
  path: '/imgs',
  idParameter: 'image_id',
  one: 'image',
  many: 'images',
  type: 'Image',
  scope: 'imgs:write',
  readScope: 'imgs:read',
  fields: imageWriteFields,
  readFields: imageFields,
  defaultFields: defaultImageFields,
  sorts: imageSorts,
  sortDescription: 'Field to sort by; empty for the best first. `similarity` needs a similarity term in `q`.',
  facets: imageFacets,
});
