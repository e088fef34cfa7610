//! Compiles the C++ sources, several at a time, and packs the objects into `libfaiss.a`.
//!
//! `cc::Build::compile` is not used: it shows no progress for a minute or more, and an interrupted
//! build starts from the beginning. Here a finished object is never compiled again.

use crate::cpu::Level;
use crate::sources;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;
use std::time::Instant;

/// Everything that the finished library depends on: compiler, sources and flags.
pub struct Plan {
    tool: cc::Tool,
    root: PathBuf,
    flags: Vec<String>,
    sources: Vec<PathBuf>,
    inputs: String,
}

impl Plan {
    pub fn new(root: &Path, level: Level) -> Result<Plan, String> {
        let tool = cc::Build::new()
            .cpp(true)
            .std("c++17")
            .opt_level(3)
            .debug(false)
            .pic(true)
            .warnings(false)
            .try_get_compiler()
            .map_err(|e| format!("no C++ compiler was found ({e}); install g++ or set CXX"))?;
        let mut flags: Vec<String> = ["-DNDEBUG", "-DFINTEGER=int", "-fopenmp", "-fvisibility=hidden"]
            .iter()
            .chain(level.flags())
            .map(|f| f.to_string())
            .collect();
        // Messages show `faiss/IndexIVF.cpp` without the folder of the machine that compiled it.
        flags.push(format!("-ffile-prefix-map={}/=", root.display()));
        // FAISS must use our BLAS, even if the host process has loaded another one under the usual
        // names.
        flags.extend(sources::BLAS.iter().map(|name| format!("-D{name}=priorart_{name}")));

        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp");
        let mut list: Vec<PathBuf> = sources::FAISS.iter().map(|f| root.join("faiss").join(f)).collect();
        list.push(own.join("lapack_absent.cpp"));

        let version = Command::new(tool.path())
            .arg("--version")
            .output()
            .map_err(|e| format!("{} --version failed: {e}", tool.path().display()))?;
        let own_text = fs::read_to_string(own.join("lapack_absent.cpp")).map_err(|e| e.to_string())?;
        let inputs_flags: Vec<&String> =
            flags.iter().filter(|f| !f.starts_with("-ffile-prefix-map")).collect();
        let inputs = format!(
            "faiss-sys {}\n{}\n{:?}\n{:?}\n{}\n{}\n",
            sources::VERSION,
            String::from_utf8_lossy(&version.stdout),
            tool.args(),
            inputs_flags,
            sources::FAISS.join(" "),
            own_text
        );
        Ok(Plan { tool, root: root.to_owned(), flags, sources: list, inputs })
    }

    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    pub fn openmp_library(&self) -> &'static str {
        if self.tool.is_like_clang() {
            "omp"
        } else {
            "gomp"
        }
    }

    /// Name of this build's folder. FNV-1a is enough: the inputs are also stored in the folder and
    /// compared.
    pub fn key(&self) -> String {
        let hash = |seed: u64| {
            self.inputs.bytes().fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
        };
        format!("{:016x}{:016x}", hash(0xcbf2_9ce4_8422_2325), hash(0x9ae1_6a3b_2f90_404f))
    }

    fn object(&self, folder: &Path, source: &Path) -> PathBuf {
        let relative =
            source.strip_prefix(self.root.join("faiss")).unwrap_or(Path::new(source.file_name().unwrap()));
        folder.join("objects").join(relative.to_string_lossy().replace('/', "_") + ".o")
    }

    fn compile(&self, source: &Path, object: &Path) -> Result<(), String> {
        let part = part_of(object);
        let output = self
            .tool
            .to_command()
            .args(&self.flags)
            .arg("-w")
            .arg("-I")
            .arg(&self.root)
            .arg("-c")
            .arg(source)
            .arg("-o")
            .arg(&part)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("{}: {e}", self.tool.path().display()))?;
        if !output.status.success() {
            let _ = fs::remove_file(&part);
            return Err(format!(
                "compiling {} failed:\n{}",
                source.display(),
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        fs::rename(&part, object).map_err(|e| format!("{}: {e}", object.display()))
    }
}

/// Makes `folder/libfaiss.a` according to the plan.
pub fn library(plan: &Plan, folder: &Path) -> Result<(), String> {
    let archive = folder.join("libfaiss.a");
    let inputs = folder.join("inputs.txt");
    let same = fs::read_to_string(&inputs).is_ok_and(|text| text == plan.inputs);
    if same && archive.exists() {
        return Ok(());
    }
    if !same {
        // OUT_DIR without a cache, after a change of flags: nothing in it is valid.
        let _ = fs::remove_dir_all(folder);
    }
    let at = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder.join("objects")).map_err(at)?;
    write_whole(&inputs, plan.inputs.as_bytes()).map_err(at)?;

    match compile_and_pack(plan, folder, &archive) {
        // Another build with the same cache may have finished first and removed its objects.
        Err(_) if archive.exists() => Ok(()),
        outcome => outcome,
    }
}

fn compile_and_pack(plan: &Plan, folder: &Path, archive: &Path) -> Result<(), String> {
    let objects = compile_all(plan, folder)?;
    let part = part_of(archive);
    let _ = fs::remove_file(&part);
    let ar = cc::Build::new().try_get_archiver().map_err(|e| format!("no archiver: {e}"))?;
    let status =
        Command::new(ar.get_program()).arg("crs").arg(&part).args(&objects).status().map_err(|e| {
            format!("{}: {e}; install binutils or set AR", ar.get_program().to_string_lossy())
        })?;
    if !status.success() {
        return Err(format!("packing {} failed: {status}", archive.display()));
    }
    fs::rename(&part, archive).map_err(|e| format!("{}: {e}", archive.display()))?;
    let _ = fs::remove_dir_all(folder.join("objects"));
    Ok(())
}

fn compile_all(plan: &Plan, folder: &Path) -> Result<Vec<PathBuf>, String> {
    let objects: Vec<PathBuf> = plan.sources.iter().map(|s| plan.object(folder, s)).collect();
    let jobs: usize = std::env::var("NUM_JOBS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let failure: Mutex<Option<String>> = Mutex::new(None);
    let progress = Progress::new(plan.sources.len());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, plan.sources.len()) {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= objects.len() || failure.lock().unwrap().is_some() {
                    return;
                }
                if !objects[i].exists() {
                    if let Err(message) = plan.compile(&plan.sources[i], &objects[i]) {
                        failure.lock().unwrap().get_or_insert(message);
                        return;
                    }
                }
                progress.line(done.fetch_add(1, Ordering::Relaxed) + 1, &plan.sources[i]);
            });
        }
    });
    match failure.into_inner().unwrap() {
        Some(message) => Err(message),
        None => Ok(objects),
    }
}

struct Progress {
    total: usize,
    start: Instant,
    file: Option<Mutex<fs::File>>,
}

impl Progress {
    fn new(total: usize) -> Progress {
        let file = std::env::var_os("PRIORART_PROGRESS")
            .and_then(|path| fs::OpenOptions::new().append(true).create(true).open(path).ok())
            .map(Mutex::new);
        Progress { total, start: Instant::now(), file }
    }

    fn line(&self, done: usize, source: &Path) {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let line = format!("faiss {done}/{} {name}\n", self.total);
        eprint!("{:6.1} s {line}", self.start.elapsed().as_secs_f32());
        if let Some(file) = &self.file {
            // Progress is only informative. A full disk is reported by the compilation.
            let _ = file.lock().unwrap().write_all(line.as_bytes());
        }
    }
}

/// A temporary name beside `path`. It contains the process id, since two builds may share the
/// cache.
fn part_of(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap().to_os_string();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let part = part_of(path);
    fs::write(&part, bytes)?;
    fs::rename(part, path)
}
