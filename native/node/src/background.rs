//! Background work, on a thread of its own with a lower priority than searches.

use crate::errors::coded;
use napi::Result;
use std::panic::resume_unwind;

/// Priority of a background thread, as in nice(1).
#[derive(Clone, Copy)]
pub enum Niceness {
    /// For merges, which must complete even under constant load: about a third of a search's share.
    Merge = 5,
    /// For work that may wait forever.
    Idle = 19,
}

/// Runs work on a new thread and waits for it. The thread is not reused, since a thread cannot
/// raise its priority again.
pub fn in_background<T: Send>(niceness: Niceness, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("priorart-bg".into()).spawn_scoped(scope, move || {
            be_nice(niceness);
            work()
        });
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => {
                Err(coded("internal", format!("cannot start a thread for background work: {error}")))
            }
        }
    })
}

/// Runs work on a new thread without waiting. Returns whether the thread could be started.
pub fn beside(niceness: Niceness, work: impl FnOnce() + Send + 'static) -> bool {
    let thread = std::thread::Builder::new().name("priorart-bg".into());
    let run = move || {
        be_nice(niceness);
        work()
    };
    thread.spawn(run).is_ok()
}

/// Lowers the priority of the calling thread; never raises it. On Linux a priority belongs to a
/// thread; elsewhere to the process, which keeps its priority.
fn be_nice(niceness: Niceness) {
    #[cfg(target_os = "linux")]
    {
        extern "C" {
            fn getpriority(which: i32, who: u32) -> i32;
            fn setpriority(which: i32, who: u32, value: i32) -> i32;
        }
        const PRIO_PROCESS: i32 = 0;
        // SAFETY: takes and returns numbers. On failure the priority stays unchanged, which is
        // harmless.
        unsafe {
            if getpriority(PRIO_PROCESS, 0) < niceness as i32 {
                setpriority(PRIO_PROCESS, 0, niceness as i32);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
