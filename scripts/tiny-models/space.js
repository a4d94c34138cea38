// What tiny models know: colors, by arithmetic. In a model that embeds pictures and words, both halves project the
// colors of the four quarters of a picture onto the same directions.

import { float, graph, node, tensor } from '../../dist/src/analysis/networks/onnx-file.js';

/** Width and height of pictures. */
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

/** Pseudorandom numbers between -1 and 1, the same every time. */
export const scattered = (index) => Math.sin(index * 12.9898 + 4.1414);

const quarters = 4;
/** Number of values of a picture: four quarters for each channel. */
const flat = 3 * quarters;
const projection = Array.from({ length: flat * dimensions }, (_, index) => scattered(index));

/** The embedding of a picture that has a single color. */
export function project(color) {
  const values = color.flatMap((channel) => Array(quarters).fill(channel));
  return Array.from({ length: dimensions }, (_, k) =>
    values.reduce((sum, value, row) => sum + value * projection[row * dimensions + k], 0),
  );
}

/** How pixel values are prepared, the same for all models. */
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

/** Projects the mean colors of the quarters to `output`; `also` adds other parts to the model. */
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
