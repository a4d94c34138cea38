import { OnnxConversion, pixelsInput } from './conversion.ts';
import type { GraphFile, Network } from './network.ts';
import { float, graph } from './onnx-file.ts';
import { operations } from './operations.ts';

/** The first version whose `Resize` has axes. */
const opset = 18;
/** From channels first to channels last, as TensorFlow has them. */
const fromOnnxOrder = [0, 2, 3, 1] as const;

/** The name of an output of a converted network. */
export const outputName = (layer: string) => `${layer} (channels last)`;

/**
 * Converts a network to an ONNX model: the layers that its outputs need, with the input `pixels` as [1, height, width, 3].
 *
 * @throws Error if it has an operation that `operations` lacks.
 */
export function toOnnx(file: GraphFile, { name, input, outputs }: Network): Uint8Array {
  const conversion = new OnnxConversion(file, input, operations);
  const results = outputs.map((layer) => {
    conversion.layer(layer);
    conversion.add('Transpose', [layer], outputName(layer), { perm: fromOnnxOrder });
    return float(outputName(layer));
  });
  const inputs = [float(pixelsInput, [1, 'height', 'width', 3])];
  return graph({ name, ...conversion.parts, inputs, outputs: results, opset });
}
