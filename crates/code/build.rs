//! Takes the TypeScript compiler into the crate at build time: finds the pinned package, verifies it, compiles the
//! compiler to QuickJS bytecode and leaves it compressed in `OUT_DIR` with its license. Nothing of it lies in the
//! repository. What the bytecode is used for is left to the crate.

use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, read::GzDecoder, write::ZlibEncoder};
use rquickjs::{CatchResultExt, Context, Module, Runtime, WriteOptions};
use sha2::{Digest, Sha512};
use std::{
    env, fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The last release line of the compiler that is written in JavaScript.
const VERSION: &str = "6.0.3";

/// What the registry says the package's bytes are, so that neither a proxy nor a cache can change the compiler.
const SHA512: &str =
    "y2TvuxSZPDyQakkFRPZHKFm+KKVqIisdg9/CZwm9ftvKXLP8NRWj38/ODjNbr43SsoXqNuAisEf1GdCxqWcdBw==";

/// A file of the package larger than this is not the one that was pinned.
const MAX_FILE_BYTES: usize = 32 << 20;

type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TYPESCRIPT_TGZ");
    match embed_compiler() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error=the TypeScript compiler could not be taken into the build: {error}");
            println!(
                "cargo::error=download typescript-{VERSION}.tgz from an npm registry and set TYPESCRIPT_TGZ to its path"
            );
            ExitCode::FAILURE
        }
    }
}

fn embed_compiler() -> Result<()> {
    // Bytecode is written in the byte order of the machine that builds, and must be read in the same.
    let order = if cfg!(target_endian = "big") { "big" } else { "little" };
    if env::var("CARGO_CFG_TARGET_ENDIAN")? != order {
        return Err("it cannot be built for a machine of the other byte order; build there".into());
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let package = unpacked(&fetched(&out)?)?;
    let bytecode = compiled(&file_of(&package, "package/lib/typescript.js")?)?;
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(&bytecode)?;
    fs::write(out.join("typescript.bytecode"), compressed.finish()?)?;
    fs::write(out.join("typescript.length"), bytecode.len().to_string())?;
    fs::write(out.join("typescript.license"), file_of(&package, "package/LICENSE.txt")?)?;
    fs::write(out.join("typescript.notices"), file_of(&package, "package/ThirdPartyNoticeText.txt")?)?;
    Ok(())
}

/// The package's bytes: from where the builder says, from the cache, or from the registry; verified in each case.
fn fetched(out: &Path) -> Result<Vec<u8>> {
    if let Some(named) = env::var_os("TYPESCRIPT_TGZ").filter(|it| !it.is_empty()) {
        let bytes = fs::read(&named).map_err(|error| format!("{}: {error}", Path::new(&named).display()))?;
        return verified(bytes);
    }
    let name = format!("typescript-{VERSION}.tgz");
    let cached = cache_folder().map(|folder| folder.join(&name));
    if let Some(bytes) = cached.as_ref().and_then(|path| fs::read(path).ok())
        && let Ok(bytes) = verified(bytes)
    {
        return Ok(bytes);
    }
    let packed = Command::new("npm")
        .args(["pack", "--loglevel=error", "--pack-destination"])
        .arg(out)
        .arg(format!("typescript@{VERSION}"))
        .output()
        .map_err(|error| format!("`npm pack` did not start: {error}"))?;
    if !packed.status.success() {
        let said = String::from_utf8_lossy(&packed.stderr);
        let said: Vec<&str> = said.lines().filter(|line| line.contains("error")).take(3).collect();
        return Err(format!("`npm pack typescript@{VERSION}` failed: {}", said.join("; ")).into());
    }
    let bytes = verified(fs::read(out.join(&name))?)?;
    if let Some(path) = cached
        && let Err(error) = keep(&path, &bytes)
    {
        println!("cargo::warning={} was not kept for the next build: {error}", path.display());
    }
    Ok(bytes)
}

fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(caches.join("steward"))
}

/// Written beside and renamed, so that two builds at once never read half a file.
fn keep(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension(format!("{}.part", std::process::id()));
    fs::write(&beside, bytes)?;
    Ok(fs::rename(beside, path)?)
}

fn verified(bytes: Vec<u8>) -> Result<Vec<u8>> {
    let found = STANDARD.encode(Sha512::digest(&bytes));
    if found == SHA512 {
        return Ok(bytes);
    }
    Err(format!("the package is not typescript {VERSION}: its sha512 is {found}, expected {SHA512}").into())
}

fn unpacked(package: &[u8]) -> Result<Vec<u8>> {
    let mut archive = Vec::new();
    GzDecoder::new(package).read_to_end(&mut archive)?;
    Ok(archive)
}

/// One file of a tar archive. A header is 512 bytes with the name at 0 and the size, in octal, at 124.
fn file_of(archive: &[u8], wanted: &str) -> Result<Vec<u8>> {
    let mut rest = archive;
    while let Some((header, body)) = rest.split_at_checked(512) {
        let text = |from: usize, length: usize| {
            let field = header[from..from + length].split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(field).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(124, 12), 8).unwrap_or(0);
        if text(0, 100) == wanted && size <= MAX_FILE_BYTES {
            return Ok(body.get(..size).ok_or("the package ends in the middle of a file")?.to_vec());
        }
        rest = body.get(size.next_multiple_of(512)..).unwrap_or_default();
    }
    Err(format!("the package has no {wanted}").into())
}

/// The compiler as a module that leaves itself on the global object. Source and line tables are left out: nobody
/// debugs the compiler here, and it halves the size.
fn compiled(source: &[u8]) -> Result<Vec<u8>> {
    let mut module = source.to_vec();
    module.extend_from_slice(b"\nglobalThis.ts = ts;\n");
    let runtime = Runtime::new()?;
    runtime.set_max_stack_size(0);
    let context = Context::full(&runtime)?;
    context.with(|ctx| {
        let options = WriteOptions { strip_source: true, strip_debug: true, ..WriteOptions::default() };
        let declared = Module::declare(ctx.clone(), "typescript", module).catch(&ctx);
        let module = declared.map_err(|error| error.to_string())?;
        Ok(module.write(options)?)
    })
}
