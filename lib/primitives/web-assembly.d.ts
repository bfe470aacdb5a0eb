/** The part of WebAssembly used here: TypeScript has its types for browsers only. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum: number; readonly shared: true });
    readonly buffer: SharedArrayBuffer;
    /** @param pages Of 65,536 bytes. Throws RangeError beyond the maximum, and when the machine has no more. */
    grow(pages: number): number;
  }
  type Module = object;
  /** Throws CompileError if this machine cannot run it. */
  const Module: new (bytes: Uint8Array) => Module;
  class Instance {
    constructor(module: Module, imports: { readonly env: { readonly memory: Memory } });
    readonly exports: Readonly<Record<string, (...numbers: number[]) => unknown>>;
  }
}
