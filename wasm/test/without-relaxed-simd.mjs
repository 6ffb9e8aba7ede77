// node --import ./test/without-relaxed-simd.mjs: as an engine that does not know relaxed SIMD,
// whatever this one knows. It refuses a module that imports nothing: that for relaxed SIMD, and not
// the package's.
const { Module } = WebAssembly;
WebAssembly.Module = class extends Module {
    constructor(bytes) {
        super(bytes);
        if (Module.imports(this).length === 0)
            throw new WebAssembly.CompileError("relaxed SIMD is refused");
    }
};
WebAssembly.validate = () => false;
