/**
 * The part of onnxruntime-node that is used. The package is an optional peer and may be absent when this project is
 * compiled, so its own types cannot be used. test/onnx/runtime.test.ts runs against the real package.
 */
declare module 'onnxruntime-node' {
  export type TensorType =
    | 'float32'
    | 'float16'
    | 'float64'
    | 'int8'
    | 'uint8'
    | 'int32'
    | 'int64'
    | 'bool'
    | string;

  export class Tensor {
    constructor(type: TensorType, data: unknown, dims: readonly number[]);
    readonly type: TensorType;
    readonly dims: readonly number[];
    readonly data: unknown;
  }

  export interface ValueMetadata {
    readonly name: string;
    readonly isTensor: boolean;
    readonly type?: TensorType;
    /** Fixed sizes as numbers, others by their names. */
    readonly shape?: ReadonlyArray<number | string>;
  }

  export interface SessionOptions {
    executionProviders?: readonly string[];
    intraOpNumThreads?: number;
    interOpNumThreads?: number;
    executionMode?: 'sequential' | 'parallel';
    graphOptimizationLevel?: 'disabled' | 'basic' | 'extended' | 'all';
    enableCpuMemArena?: boolean;
    logSeverityLevel?: 0 | 1 | 2 | 3 | 4;
    extra?: Record<string, unknown>;
  }

  export class InferenceSession {
    static create(path: string, options?: SessionOptions): Promise<InferenceSession>;
    readonly inputMetadata: readonly ValueMetadata[];
    readonly outputMetadata: readonly ValueMetadata[];
    run(feeds: Record<string, Tensor>, fetches: readonly string[]): Promise<Record<string, Tensor>>;
    release(): Promise<void>;
  }
}
