// What tiny models know: colors, by arithmetic. Both halves of a model that embeds pictures and words project the
// colors of four quarters of a picture onto the same directions.

import { float, graph, node, tensor } from '../../dist/src/analysis/networks/onnx-file.js';

/** Pictures are so many pixels wide and high. */
export const side = 32;
export const dimensions = 16;

/** Colors as models see them: channels from -1 to 1. */
export const colors = {
  black: [-1, -1, -1],
  white: [1, 1, 1],
  red: [1, -1, -1],
  green: [-1, 0, -1],
  blue: [-1, -1, 1],
  yellow: [1, 1, -1],
  teal: [-1, 0, 0],
};

/** Numbers between -1 and 1 that are the same every time. */
export const scattered = (index) => Math.sin(index * 12.9898 + 4.1414);

const quarters = 4;
/** So many numbers come of a picture, channel by channel, each with its four quarters. */
const flat = 3 * quarters;
const projection = Array.from({ length: flat * dimensions }, (_, index) => scattered(index));

/** Where a picture of one color lies. */
export function project(color) {
  const values = color.flatMap((channel) => Array(quarters).fill(channel));
  return Array.from({ length: dimensions }, (_, k) =>
    values.reduce((sum, value, row) => sum + value * projection[row * dimensions + k], 0),
  );
}

/** How values of pixels are prepared, whatever the model. */
export const preprocessor = (processor) => ({
  image_processor_type: processor,
  do_resize: true,
  size: { height: side, width: side },
  resample: 3,
  do_center_crop: false,
  do_rescale: true,
  rescale_factor: 1 / 255,
  do_normalize: true,
  image_mean: [0.5, 0.5, 0.5],
  image_std: [0.5, 0.5, 0.5],
});

/** Projects the mean colors of quarters to `output`; `also` gives what else comes of the model. */
export function makePictures(output, also = { nodes: [], constants: [], outputs: [] }) {
  return graph({
    name: 'vision',
    nodes: [
      node('AveragePool', ['pixel_values'], ['pooled'], {
        kernel_shape: [side / 2, side / 2],
        strides: [side / 2, side / 2],
      }),
      node('Flatten', ['pooled'], ['flat'], { axis: 1 }),
      node('MatMul', ['flat', 'projection'], [output]),
      ...also.nodes,
    ],
    constants: [tensor('projection', [flat, dimensions], projection), ...also.constants],
    inputs: [float('pixel_values', ['batch', 3, side, side])],
    outputs: [...also.outputs, float(output, ['batch', dimensions])],
  });
}
