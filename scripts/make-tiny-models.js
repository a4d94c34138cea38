#!/usr/bin/env node
// Generates models of a few kilobytes in the file layout of Hugging Face, for tests of the local provider: two that
// embed pictures and words in the same space, one that writes captions, and a folder with models.json and a model for
// each task. They know only colors, by arithmetic that is spelled out here: no weights come from elsewhere.
//
//   node scripts/make-tiny-models.js [FOLDER]      (test/fixtures/models)
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { float, graph, int64, node, tensor } from '../dist/src/analysis/networks/onnx-file.js';
import { makeOwn } from './tiny-models/own.js';
import { makeSiglip } from './tiny-models/siglip.js';
import { colors, dimensions, makePictures, preprocessor, project, side } from './tiny-models/space.js';

const folder = process.argv[2] ?? fileURLToPath(new URL('../test/fixtures/models', import.meta.url));

const specials = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const words = [...specials, 'a', 'picture', 'in', ...Object.keys(colors)];
const idOf = (word) => words.indexOf(word);

/** Files that both have in common: words to numbers, pictures to pixels. */
function commonFiles({ processor }) {
  return {
    'preprocessor_config.json': preprocessor(processor),
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      do_lower_case: true,
      model_max_length: 32,
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      cls_token: '[CLS]',
      sep_token: '[SEP]',
    },
    'tokenizer.json': {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: specials.map((content, id) => ({ id, content, special: true, normalized: false })),
      normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: {
        type: 'TemplateProcessing',
        single: [
          { SpecialToken: { id: '[CLS]', type_id: 0 } },
          { Sequence: { id: 'A', type_id: 0 } },
          { SpecialToken: { id: '[SEP]', type_id: 0 } },
        ],
        pair: [],
        special_tokens: {
          '[CLS]': { id: '[CLS]', ids: [idOf('[CLS]')], tokens: ['[CLS]'] },
          '[SEP]': { id: '[SEP]', ids: [idOf('[SEP]')], tokens: ['[SEP]'] },
        },
      },
      decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
      model: {
        type: 'WordPiece',
        unk_token: '[UNK]',
        continuing_subword_prefix: '##',
        max_input_chars_per_word: 100,
        vocab: Object.fromEntries(words.map((word, id) => [word, id])),
      },
    },
  };
}

/** Both halves embed into the same space, each with a projection. */
function makeClip() {
  const table = words.flatMap((word) => (word in colors ? project(colors[word]) : Array(dimensions).fill(0)));
  const text = graph({
    name: 'text',
    nodes: [
      node('Gather', ['table', 'input_ids'], ['each'], { axis: 0 }),
      node('ReduceMean', ['each'], ['text_embeds'], { axes: [1], keepdims: 0 }),
    ],
    constants: [tensor('table', [words.length, dimensions], table)],
    inputs: [int64('input_ids', ['batch', 'length'])],
    outputs: [float('text_embeds', ['batch', dimensions])],
  });
  return {
    ...commonFiles({ processor: 'CLIPImageProcessor' }),
    'config.json': { model_type: 'clip', projection_dim: dimensions },
    'onnx/vision_model.onnx': makePictures('image_embeds'),
    'onnx/text_model.onnx': text,
  };
}

/** Says `a picture in COLOUR`: a table tells which word follows which, and the color is the nearest one. */
function makeCaptioner() {
  const sure = 100;
  const follows = { '[CLS]': ['a'], a: ['picture'], picture: ['in'], in: Object.keys(colors) };
  const bigrams = words.flatMap((word) => {
    const next = follows[word] ?? ['[SEP]'];
    return words.map((other) => (next.includes(other) ? sure : 0));
  });
  // The nearest color is the one with the largest 2 c·x - c·c.
  const likeness = [0, 1, 2].flatMap((channel) => words.map((word) => 2 * (colors[word]?.[channel] ?? 0)));
  const sizes = words.map((word) => -(colors[word] ?? []).reduce((sum, value) => sum + value * value, 0));
  const encoder = graph({
    name: 'encoder',
    nodes: [
      node('GlobalAveragePool', ['pixel_values'], ['pooled']),
      node('Reshape', ['pooled', 'shape'], ['last_hidden_state']),
    ],
    constants: [tensor('shape', [3], [0, 1, 3], 'int64')],
    inputs: [float('pixel_values', ['batch', 3, side, side])],
    outputs: [float('last_hidden_state', ['batch', 1, 3])],
  });
  const decoder = graph({
    name: 'decoder',
    nodes: [
      node('Gather', ['bigrams', 'input_ids'], ['next'], { axis: 0 }),
      node('MatMul', ['encoder_hidden_states', 'likeness'], ['like']),
      node('Add', ['like', 'sizes'], ['near']),
      node('Add', ['next', 'near'], ['logits']),
    ],
    constants: [
      tensor('bigrams', [words.length, words.length], bigrams),
      tensor('likeness', [3, words.length], likeness),
      tensor('sizes', [words.length], sizes),
    ],
    inputs: [int64('input_ids', ['batch', 'length']), float('encoder_hidden_states', ['batch', 1, 3])],
    outputs: [float('logits', ['batch', 'length', words.length])],
  });
  const tokens = {
    decoder_start_token_id: idOf('[CLS]'),
    bos_token_id: idOf('[CLS]'),
    eos_token_id: idOf('[SEP]'),
    pad_token_id: idOf('[PAD]'),
  };
  return {
    ...commonFiles({ processor: 'ViTImageProcessor' }),
    'config.json': {
      model_type: 'vision-encoder-decoder',
      is_encoder_decoder: true,
      ...tokens,
      encoder: { model_type: 'vit', hidden_size: 3, image_size: side, num_channels: 3 },
      decoder: { model_type: 'gpt2', vocab_size: words.length, n_layer: 1, n_head: 1, n_embd: 3 },
    },
    'generation_config.json': { ...tokens, max_length: 16 },
    'onnx/encoder_model.onnx': encoder,
    'onnx/decoder_model_merged.onnx': decoder,
  };
}

const [clip, siglip, captioner] = [makeClip(), makeSiglip(), makeCaptioner()];
const models = {
  'tiny-clip': clip,
  'tiny-siglip': siglip,
  'tiny-captioner': captioner,
  own: makeOwn({ clip, siglip, captioner, idOf }),
};
for (const [name, files] of Object.entries(models)) {
  for (const [path, content] of Object.entries(files)) {
    const bytes = content instanceof Uint8Array ? content : `${JSON.stringify(content, null, 2)}\n`;
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}
