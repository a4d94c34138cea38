import type { GraphFile, GraphNode } from './network.ts';
import { node, tensor } from './onnx-file.ts';
import type { Attributes, TensorType } from './onnx-file.ts';
import { readWeights } from './weights.ts';
import type { Weights } from './weights.ts';

/** Name of the input of a converted network. */
export const pixelsInput = 'pixels';
/** TensorFlow puts channels last, ONNX first. */
const toOnnxOrder = [0, 3, 1, 2] as const;

/** Writes a TensorFlow layer as ONNX operations. */
export type Write = (layer: GraphNode, to: OnnxConversion) => void;

/** A graph that is being converted; layers are written in the order in which they are needed. */
export class OnnxConversion {
  readonly #layers: ReadonlyMap<string, GraphNode>;
  readonly #weights: ReadonlyMap<string, Weights>;
  readonly #input: string;
  readonly #operations: Readonly<Record<string, Write | undefined>>;
  readonly #nodes: Uint8Array[] = [];
  readonly #constants: Uint8Array[] = [];
  readonly #written = new Set<string>();

  /** @param input its first layer. @param operations functions that write a layer, by TensorFlow operation. */
  constructor(file: GraphFile, input: string, operations: Readonly<Record<string, Write | undefined>>) {
    this.#operations = operations;
    this.#layers = new Map(file.modelTopology.node.map((each) => [each.name, each]));
    this.#weights = readWeights(file);
    this.#input = input;
  }

  get parts() {
    return { nodes: this.#nodes, constants: this.#constants };
  }

  /** Writes a layer and all layers that it needs, once each. @returns its name. */
  layer(name: string): string {
    if (this.#written.has(name)) return name;
    this.#written.add(name);
    if (name === this.#input) {
      this.add('Transpose', [pixelsInput], name, { perm: toOnnxOrder });
      return name;
    }
    const layer = this.find(name);
    const write = this.#operations[layer.op];
    if (write === undefined) throw new Error(`${name}: there is no conversion of ${layer.op}`);
    write(layer, this);
    return name;
  }

  /** Writes a layer, or a constant that is applied to each channel. @returns its name. */
  value(name: string): string {
    const weights = this.#weights.get(name);
    if (weights === undefined) return this.layer(name);
    const { shape, values } = weights;
    if (values.length === 1) return this.constant(name, [], values);
    if (shape.at(-1) !== values.length) throw new Error(`${name} has no value for each channel`);
    return this.constant(name, [values.length, 1, 1], values);
  }

  /** @throws Error if there is no such layer. */
  find(name: string): GraphNode {
    const layer = this.#layers.get(name);
    if (layer === undefined) throw new Error(`the network has no layer ${name}`);
    return layer;
  }

  /** @throws Error if there is no such constant. */
  weights(name: string): Weights {
    const weights = this.#weights.get(name);
    if (weights === undefined) throw new Error(`the network has no constant ${name}`);
    return weights;
  }

  /** The value of a constant with a single value; null for a layer or for several values. */
  number(name: string): number | null {
    const values = this.#weights.get(name)?.values;
    return values?.length === 1 ? (values[0] as number) : null;
  }

  /** Adds a constant, once. @returns its name. */
  constant(name: string, dims: readonly number[], values: Iterable<number>, type: TensorType = 'float'): string {
    if (!this.#written.has(name)) this.#constants.push(tensor(name, dims, values, type));
    this.#written.add(name);
    return name;
  }

  /** Adds an operation. @returns the name of its output. */
  add(operation: string, inputs: readonly string[], output: string, attributes?: Attributes): string {
    this.#nodes.push(node(operation, inputs, [output], attributes));
    return output;
  }
}
