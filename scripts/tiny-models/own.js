// Models of a few kilobytes for a folder with models.json, one for each task. They know only colors: red is not safe
// for work, yellow is a face, and bars of red, green and blue are the letters R, G and B.
import { createHash } from 'node:crypto';
import { float, graph, node, tensor } from '../../dist/src/analysis/networks/onnx-file.js';
import { colors, side } from './space.js';

/** In addition to the shared colors: green at its brightest. */
const known = { ...colors, pureGreen: [-1, 1, -1] };

/**
 * For each color, weights that give twice the product with that color, and a bias of minus its square: the sum is
 * largest for the nearest color. @returns [3 × n] and [n].
 */
function nearest(names, steepness) {
  const all = names.map((name) => known[name]);
  const factors = [0, 1, 2].flatMap((channel) => all.map((color) => 2 * steepness * color[channel]));
  const squares = all.map((color) => -steepness * color.reduce((sum, value) => sum + value * value, 0));
  return { factors, squares };
}

function makeNsfw() {
  const { factors, squares } = nearest(['red', 'teal'], 2);
  return graph({
    name: 'nsfw',
    nodes: [
      node('GlobalAveragePool', ['pixel_values'], ['pooled']),
      node('Flatten', ['pooled'], ['flat'], { axis: 1 }),
      node('MatMul', ['flat', 'factors'], ['product']),
      node('Add', ['product', 'squares'], ['logits']),
    ],
    constants: [tensor('factors', [3, 2], factors), tensor('squares', [2], squares)],
    inputs: [float('pixel_values', ['batch', 3, side, side])],
    outputs: [float('logits', ['batch', 2])],
  });
}

const cells = 4;

/** Returns a grid of boxes, each with the probabilities of nothing and of a face. */
function makeFaces() {
  const { factors, squares } = nearest(['teal', 'yellow'], 4);
  const byClass = [0, 1].flatMap((kind) => [0, 1, 2].map((channel) => factors[channel * 2 + kind]));
  const boxes = Array.from({ length: cells * cells }, (_, index) => {
    const [x, y] = [(index % cells) / cells, Math.floor(index / cells) / cells];
    return [x, y, x + 1 / cells, y + 1 / cells];
  });
  return graph({
    name: 'faces',
    nodes: [
      node('AveragePool', ['input'], ['pooled'], {
        kernel_shape: [side / cells, side / cells],
        strides: [side / cells, side / cells],
      }),
      node('Conv', ['pooled', 'weights', 'squares'], ['grid'], { kernel_shape: [1, 1] }),
      node('Reshape', ['grid', 'shape'], ['rows']),
      node('Transpose', ['rows'], ['logits'], { perm: [0, 2, 1] }),
      node('Softmax', ['logits'], ['scores'], { axis: 2 }),
      node('Identity', ['grid_boxes'], ['boxes']),
    ],
    constants: [
      tensor('weights', [2, 3, 1, 1], byClass),
      tensor('squares', [2], squares),
      tensor('shape', [3], [1, 2, cells * cells], 'int64'),
      tensor('grid_boxes', [1, cells * cells, 4], boxes.flat()),
    ],
    inputs: [float('input', [1, 3, side, side])],
    outputs: [float('scores', [1, cells * cells, 2]), float('boxes', [1, cells * cells, 4])],
  });
}

const lineHeight = 16;
const columnWidth = 8;

/** Classifies each column of a line: white is no letter, and each other color is one. */
function makeRecognition() {
  const { factors, squares } = nearest(['white', 'red', 'pureGreen', 'blue'], 4);
  return graph({
    name: 'recognition',
    nodes: [
      node('AveragePool', ['x'], ['pooled'], {
        kernel_shape: [lineHeight, columnWidth],
        strides: [lineHeight, columnWidth],
      }),
      node('Reshape', ['pooled', 'shape'], ['columns']),
      node('Transpose', ['columns'], ['rows'], { perm: [0, 2, 1] }),
      node('MatMul', ['rows', 'factors'], ['product']),
      node('Add', ['product', 'squares'], ['logits']),
      node('Softmax', ['logits'], ['probabilities'], { axis: 2 }),
    ],
    constants: [
      tensor('factors', [3, 4], factors),
      tensor('squares', [4], squares),
      tensor('shape', [3], [0, 3, -1], 'int64'),
    ],
    inputs: [float('x', [1, 3, lineHeight, 'width'])],
    outputs: [float('probabilities', [1, 'columns', 4])],
  });
}

const pageSide = 64;

/**
 * Areas that are not white, and have no white within two pixels, are probably text: networks of this kind find
 * shrunken lines.
 */
function makeDetection() {
  return graph({
    name: 'detection',
    nodes: [
      node('MaxPool', ['x'], ['shrunken'], { kernel_shape: [5, 5], strides: [1, 1], pads: [2, 2, 2, 2] }),
      node('Conv', ['shrunken', 'weights', 'bias'], ['darkness'], { kernel_shape: [1, 1] }),
      node('Sigmoid', ['darkness'], ['probability']),
    ],
    constants: [tensor('weights', [1, 3, 1, 1], [-4, -4, -4]), tensor('bias', [1], [4])],
    inputs: [float('x', [1, 3, pageSide, pageSide])],
    outputs: [float('probability', [1, 1, pageSide, pageSide])],
  });
}

const half = [0.5, 0.5, 0.5];
const common = { license: 'Apache-2.0', preprocessing: { size: side, mean: half, std: half } };

/** Models that know words; `file` describes a file by its path. */
function describeVectors(file) {
  const clipFiles = {
    image: file('clip/vision.onnx'),
    text: file('clip/text.onnx'),
    tokenizer: file('clip/tokenizer.json'),
  };
  return [
    { name: 'tiny-clip', task: 'embedding', ...common, batch: 8, files: clipFiles },
    {
      name: 'tiny-siglip',
      task: 'embedding',
      ...common,
      files: {
        image: file('siglip/vision.onnx'),
        text: file('siglip/text.onnx'),
        tokenizer: file('siglip/tokenizer.json'),
      },
      texts: { tokens: 64, pad: 0 },
    },
    {
      name: 'tiny-words',
      task: 'keywords',
      ...common,
      files: clipFiles,
      labels: [{ en: 'red', es: 'rojo', ru: 'красный' }, { en: 'green', es: 'verde' }, 'blue', 'yellow'],
      prompt: 'a {} picture',
      factor: 20,
    },
  ];
}

/** The others. */
function describeOthers(file, idOf) {
  return [
    {
      name: 'tiny-nsfw',
      task: 'nsfw',
      ...common,
      batch: 4,
      files: { image: file('nsfw.onnx') },
      labels: ['red', 'other'],
      unsafe: ['red'],
    },
    {
      name: 'tiny-faces',
      task: 'faces',
      ...common,
      preprocessing: { ...common.preprocessing, resize: 'pad' },
      files: { image: file('faces.onnx') },
    },
    {
      name: 'tiny-captioner',
      task: 'caption',
      ...common,
      files: {
        encoder: file('captioner/encoder.onnx'),
        decoder: file('captioner/decoder.onnx'),
        tokenizer: file('clip/tokenizer.json'),
      },
      tokens: { start: idOf('[CLS]'), end: idOf('[SEP]') },
    },
    {
      name: 'tiny-reader',
      task: 'ocr',
      ...common,
      preprocessing: { ...common.preprocessing, size: [320, lineHeight] },
      detection: { ...common.preprocessing, size: pageSide, interpolation: 'bilinear' },
      files: { recognition: file('ocr/recognition.onnx'), detection: file('ocr/detection.onnx') },
      labels: ['R', 'G', 'B'],
    },
  ];
}

/** The folder of models: its files by path, including models.json. */
export function makeOwn({ clip, siglip, captioner, idOf }) {
  const files = {
    'clip/vision.onnx': clip['onnx/vision_model.onnx'],
    'clip/text.onnx': clip['onnx/text_model.onnx'],
    'clip/tokenizer.json': clip['tokenizer.json'],
    'siglip/vision.onnx': siglip['onnx/vision_model.onnx'],
    'siglip/text.onnx': siglip['onnx/text_model.onnx'],
    'siglip/tokenizer.json': siglip['tokenizer.json'],
    'captioner/encoder.onnx': captioner['onnx/encoder_model.onnx'],
    'captioner/decoder.onnx': captioner['onnx/decoder_model_merged.onnx'],
    'nsfw.onnx': makeNsfw(),
    'faces.onnx': makeFaces(),
    'ocr/recognition.onnx': makeRecognition(),
    'ocr/detection.onnx': makeDetection(),
  };
  const file = (path) => {
    const content = files[path];
    const bytes = content instanceof Uint8Array ? content : `${JSON.stringify(content, null, 2)}\n`;
    return { path, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  return { ...files, 'models.json': { models: [...describeVectors(file), ...describeOthers(file, idOf)] } };
}
