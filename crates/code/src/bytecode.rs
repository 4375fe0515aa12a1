//! Loading compiled JavaScript, which QuickJS trusts blindly: every `unsafe` block for it. Only bytecode made by this
//! very build is loaded; none ever comes from a file or a pipe. Also giving back the memory that it took to run it.
#![allow(unsafe_code)]

use flate2::read::ZlibDecoder;
use rquickjs::{Ctx, Module, Result, WriteOptions, module::Declared};
use std::io::{self, Read};

/// The TypeScript compiler as the build script compiled it with the engine that is linked here.
static COMPILER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/typescript.bytecode"));

/// How long it is unpacked, in decimal digits.
const COMPILER_LENGTH: &str = include_str!(concat!(env!("OUT_DIR"), "/typescript.length"));

/// The compiler's bytecode, unpacked: a third of its size is worth the twentieth of a second.
pub(crate) struct Compiler(Vec<u8>);

impl Compiler {
    /// Unpacks it. Fails only if the binary is damaged.
    pub(crate) fn unpack() -> io::Result<Compiler> {
        let length = COMPILER_LENGTH.parse().map_err(io::Error::other)?;
        let mut bytes = Vec::with_capacity(length);
        ZlibDecoder::new(COMPILER).take(length as u64 + 1).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(Compiler(bytes)),
            false => Err(io::Error::other("the compiler in this binary is not as long as it was built")),
        }
    }

    /// Declares the compiler as a module; evaluating it leaves `ts` on the global object.
    pub(crate) fn declare<'js>(&self, ctx: &Ctx<'js>) -> Result<Module<'js, Declared>> {
        // SAFETY: the bytes are what the build script wrote with the same, exactly pinned engine for the same target;
        // they are compiled in, checked by zlib's checksum, and no one else can make a `Compiler`.
        unsafe { Module::load(ctx.clone(), &self.0) }
    }
}

/// Asks the C library to give free memory back to the system. By itself it keeps what an engine has freed: a few small
/// pieces cached by the thread hold on to tens of megabytes.
pub(crate) fn give_back_memory() {
    // SAFETY: the call takes no pointer, changes no allocation and may be made by any thread at any time.
    #[cfg(target_env = "gnu")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// A module compiled by this very process, so that it can be loaded where the engine has no compiler.
pub(crate) struct Compiled(Vec<u8>);

impl Compiled {
    /// Compiles a module. `hidden` leaves out its source and its line numbers, so that neither can be asked for.
    pub(crate) fn new(ctx: &Ctx<'_>, name: &str, source: &str, hidden: bool) -> Result<Self> {
        let module = Module::declare(ctx.clone(), name, source)?;
        let options = WriteOptions { strip_source: hidden, strip_debug: hidden, ..WriteOptions::default() };
        Ok(Self(module.write(options)?))
    }

    /// Loads it into a context of another runtime.
    pub(crate) fn load<'js>(&self, ctx: Ctx<'js>) -> Result<Module<'js, Declared>> {
        // SAFETY: the bytes were made by `new` with the engine that now reads them, and nobody else can make them.
        unsafe { Module::load(ctx, &self.0) }
    }
}
