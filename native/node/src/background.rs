//! Background work, on a thread of its own with a lower priority than searches.

use crate::errors::coded;
use napi::Result;
use std::panic::resume_unwind;

/// Priority of a background thread, as in nice(1).
#[derive(Clone, Copy)]
pub enum Niceness {
    /// A merge must come to its end under a load that never lets up: about a third of what a search gets.
    Merge = 5,
    /// What may as well never happen.
    Idle = 19,
}

/// Runs work on a new thread and waits for it. The thread ends with it, since a thread of the pool could not take its
/// priority up again.
pub fn in_background<T: Send>(niceness: Niceness, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("priorart-bg".into()).spawn_scoped(scope, move || {
            be_nice(niceness);
            work()
        });
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => Err(coded("internal", format!("no thread for background work: {error}"))),
        }
    })
}

/// Runs work on a new thread and does not wait for it. Returns whether there was a thread for it.
pub fn beside(niceness: Niceness, work: impl FnOnce() + Send + 'static) -> bool {
    let thread = std::thread::Builder::new().name("priorart-bg".into());
    let run = move || {
        be_nice(niceness);
        work()
    };
    thread.spawn(run).is_ok()
}

/// On Linux a priority belongs to the calling thread; elsewhere to the process, which keeps its own. Never raised: the
/// whole process may be nicer than that.
fn be_nice(niceness: Niceness) {
    #[cfg(target_os = "linux")]
    {
        extern "C" {
            fn getpriority(which: i32, who: u32) -> i32;
            fn setpriority(which: i32, who: u32, value: i32) -> i32;
        }
        const PRIO_PROCESS: i32 = 0;
        // SAFETY: takes and gives back numbers. A refusal leaves the priority as it was, which is no harm.
        unsafe {
            if getpriority(PRIO_PROCESS, 0) < niceness as i32 {
                setpriority(PRIO_PROCESS, 0, niceness as i32);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}
