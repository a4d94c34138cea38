// A SigLIP of a few kilobytes, in the layout of the published ones: a Unigram tokenizer, no attention mask, no
// projection, texts of exactly `length` tokens, and `last_hidden_state` next to `pooler_output` in the output of both
// halves.
import { float, graph, int64, node, tensor } from '../../dist/src/analysis/networks/onnx-file.js';
import { colors, dimensions, makePictures, preprocessor, project, scattered, side } from './space.js';

const length = 64;
const specials = ['<pad>', '</s>', '<unk>'];
const words = ['a', 'picture', 'in', ...Object.keys(colors)];
const vocabulary = [...specials, ...words.map((word) => `▁${word}`), '▁'];
const end = specials.indexOf('</s>');
const unknown = specials.indexOf('<unk>');

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: specials.map((content, id) => ({ id, content, special: true, normalized: false })),
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Lowercase' },
      { type: 'Replace', pattern: { Regex: '[!-/:-@\\[-`{-~]' }, content: '' },
      { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' },
      { type: 'Strip', strip_left: true, strip_right: true },
    ],
  },
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', add_prefix_space: true },
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ Sequence: { id: 'A', type_id: 0 } }, { SpecialToken: { id: '</s>', type_id: 0 } }],
    pair: [],
    special_tokens: { '</s>': { id: '</s>', ids: [end], tokens: ['</s>'] } },
  },
  decoder: { type: 'Metaspace', replacement: '▁', add_prefix_space: true },
  model: {
    type: 'Unigram',
    unk_id: unknown,
    vocab: vocabulary.map((piece, id) => [piece, id < specials.length ? 0 : -1 - id / 100]),
  },
};

const pictures = makePictures('pooler_output', {
  nodes: [node('Reshape', ['pooled', 'shape'], ['last_hidden_state'])],
  constants: [tensor('shape', [3], [0, 4, 3], 'int64')],
  outputs: [float('last_hidden_state', ['batch', 4, 3])],
});

/** Positions are added before the mean is taken, and cancel out only over the whole length. */
function makeTexts() {
  const colourOf = (piece) => colors[piece.slice(1)];
  const table = vocabulary.flatMap((piece) => {
    const color = colourOf(piece);
    return color === undefined ? Array(dimensions).fill(0) : project(color);
  });
  const positions = Array.from({ length: length * dimensions }, (_, index) => {
    const pair = Math.floor(index / dimensions / 2) * dimensions + (index % dimensions);
    return (Math.floor(index / dimensions) % 2 === 0 ? 1 : -1) * scattered(pair);
  });
  return graph({
    name: 'text',
    nodes: [
      node('Gather', ['table', 'input_ids'], ['each'], { axis: 0 }),
      node('Add', ['each', 'positions'], ['last_hidden_state']),
      node('ReduceMean', ['last_hidden_state'], ['pooler_output'], { axes: [1], keepdims: 0 }),
    ],
    constants: [
      tensor('table', [vocabulary.length, dimensions], table),
      tensor('positions', [length, dimensions], positions),
    ],
    inputs: [int64('input_ids', ['batch', 'length'])],
    outputs: [
      float('last_hidden_state', ['batch', 'length', dimensions]),
      float('pooler_output', ['batch', dimensions]),
    ],
  });
}

/** The files of the model by their paths. */
export function makeSiglip() {
  const common = { hidden_size: dimensions, num_attention_heads: 1, num_hidden_layers: 1 };
  return {
    'preprocessor_config.json': preprocessor('SiglipImageProcessor'),
    'tokenizer_config.json': {
      tokenizer_class: 'SiglipTokenizer',
      do_lower_case: true,
      model_input_names: ['input_ids'],
      model_max_length: length,
      pad_token: '</s>',
      eos_token: '</s>',
      unk_token: '<unk>',
    },
    'tokenizer.json': tokenizer,
    'config.json': {
      model_type: 'siglip',
      text_config: { ...common, model_type: 'siglip_text_model', vocab_size: vocabulary.length },
      vision_config: { ...common, model_type: 'siglip_vision_model', image_size: side },
    },
    'onnx/vision_model.onnx': pictures,
    'onnx/text_model.onnx': makeTexts(),
  };
}
