//! Who this process is, and what it may do.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use super::host::Host;

/// The bit of `CAP_IPC_LOCK` in a set of capabilities (`linux/capability.h`): the kernel lets its
/// owner pin memory beyond the limit.
const IPC_LOCK: u32 = 14;

/// Identity and limits, as `/proc/self` has them.
#[derive(Debug, PartialEq, Eq)]
pub struct Process {
    uid: u32,
    gids: Vec<u32>,
    capabilities: u64,
    /// Memory that may be locked, in bytes; `None` is no limit.
    memlock: Option<u64>,
}

impl Process {
    /// This process; `None` where `/proc/self` does not say, as in a copy of a file system.
    pub fn of(host: &Host) -> Option<Self> {
        let status = host.text("/proc/self/status")?;
        Self::parse(&status, &host.text("/proc/self/limits")?)
    }

    /// The effective user, which is what the kernel goes by.
    pub fn is_root(&self) -> bool {
        self.uid == 0
    }

    /// Whether it is in this group.
    pub fn is_in(&self, gid: u32) -> bool {
        self.gids.contains(&gid)
    }

    /// Whether it may read and write a file of this owner and mode.
    pub fn may_use(&self, file: &Metadata) -> bool {
        let granted = match file.mode() {
            _ if self.is_root() => return true,
            mode if self.uid == file.uid() => mode >> 6,
            mode if self.is_in(file.gid()) => mode >> 3,
            mode => mode,
        };
        granted & 0o6 == 0o6
    }

    /// How much memory it may lock, in bytes; `None` is no limit.
    pub fn lockable(&self) -> Option<u64> {
        let unlimited = self.capabilities >> IPC_LOCK & 1 == 1;
        self.memlock.filter(|_| !unlimited)
    }

    fn parse(status: &str, limits: &str) -> Option<Self> {
        let (mut uid, mut gids, mut capabilities) = (None, Vec::new(), 0);
        for line in status.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let mut ids = value.split_whitespace().map_while(|id| id.parse().ok());
            match name {
                // Real, effective, saved, file system.
                "Uid" => uid = ids.nth(1),
                "Gid" => gids.extend(ids.nth(1)),
                "Groups" => gids.extend(ids),
                "CapEff" => capabilities = u64::from_str_radix(value.trim(), 16).unwrap_or(0),
                _ => {}
            }
        }
        let soft = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max locked memory"))
            .and_then(|rest| rest.split_whitespace().next())?;
        let memlock = match soft {
            "unlimited" => None,
            bytes => Some(bytes.parse().ok()?),
        };
        Some(Self {
            uid: uid?,
            gids,
            capabilities,
            memlock,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str = "Name:\tx\nUid:\t7\t1000\t1000\t1000\nGid:\t7\t1001\t1001\t1001\n\
                          Groups:\t27 115 \nCapEff:\t0000000000000000\n";
    const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units\n\
                          Max locked memory         8388608              unlimited            bytes\n";

    #[test]
    fn the_effective_ids_and_the_soft_limit_count() {
        let process = Process::parse(STATUS, LIMITS).unwrap();
        assert_eq!(process.uid, 1000);
        assert!(!process.is_root());
        for gid in [1001, 27, 115] {
            assert!(process.is_in(gid), "{gid}");
        }
        assert!(!process.is_in(7));
        assert_eq!(process.lockable(), Some(8_388_608));
    }

    #[test]
    fn a_capability_lifts_the_limit() {
        let with = STATUS.replace("0000000000000000", "0000000000004000");
        let lockable =
            |status: &str, limits: &str| Process::parse(status, limits).unwrap().lockable();
        assert_eq!(lockable(&with, LIMITS), None);
        let other = STATUS.replace("0000000000000000", "ffffffffffffbfff");
        assert!(lockable(&other, LIMITS).is_some());
        let unlimited = LIMITS.replace("8388608  ", "unlimited");
        assert_eq!(lockable(STATUS, &unlimited), None);
    }

    #[test]
    fn what_the_files_do_not_say_is_not_known() {
        for (status, limits) in [("", LIMITS), (STATUS, ""), ("Uid:\t7\n", LIMITS)] {
            assert_eq!(
                Process::parse(status, limits),
                None,
                "{status:?} {limits:?}"
            );
        }
        let strange = LIMITS.replace("8388608", "a-few  ");
        assert_eq!(Process::parse(STATUS, &strange), None);
    }
}
