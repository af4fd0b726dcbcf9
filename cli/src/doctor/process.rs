//! Who this process is, and what it may do.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

use super::host::Host;

/// The bit of `CAP_IPC_LOCK` in a set of capabilities (`linux/capability.h`): the kernel lets its
/// owner pin memory beyond the limit.
const IPC_LOCK: u32 = 14;

/// Identity and limits, as `/proc/self` has them.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Process {
    uid: Option<u32>,
    gids: Vec<u32>,
    capabilities: u64,
    /// Memory that may be locked, in bytes; `None` is no limit.
    memlock: Option<u64>,
}

impl Process {
    /// This process.
    pub fn of(host: &Host) -> Self {
        let status = host.text("/proc/self/status").unwrap_or_default();
        let limits = host.text("/proc/self/limits").unwrap_or_default();
        Self::parse(&status, &limits)
    }

    /// The effective user, which is what the kernel goes by.
    pub fn is_root(&self) -> bool {
        self.uid == Some(0)
    }

    /// Whether it is in this group.
    pub fn is_in(&self, gid: u32) -> bool {
        self.gids.contains(&gid)
    }

    /// Whether it may read and write a file of this owner and mode.
    pub fn may_use(&self, file: &Metadata) -> bool {
        let granted = match file.mode() {
            _ if self.is_root() => return true,
            mode if self.uid == Some(file.uid()) => mode >> 6,
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

    fn parse(status: &str, limits: &str) -> Self {
        let mut process = Self::default();
        for line in status.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let mut ids = value.split_whitespace().map_while(|id| id.parse().ok());
            match name {
                // Real, effective, saved, file system.
                "Uid" => process.uid = ids.nth(1),
                "Gid" => process.gids.extend(ids.nth(1)),
                "Groups" => process.gids.extend(ids),
                "CapEff" => {
                    process.capabilities = u64::from_str_radix(value.trim(), 16).unwrap_or(0);
                }
                _ => {}
            }
        }
        let soft = limits
            .lines()
            .find_map(|line| line.strip_prefix("Max locked memory"))
            .and_then(|rest| rest.split_whitespace().next());
        process.memlock = soft.and_then(|soft| soft.parse().ok());
        process
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
        let process = Process::parse(STATUS, LIMITS);
        assert_eq!(process.uid, Some(1000));
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
        assert_eq!(Process::parse(&with, LIMITS).lockable(), None);
        let other = STATUS.replace("0000000000000000", "ffffffffffffbfff");
        assert!(Process::parse(&other, LIMITS).lockable().is_some());
        let unlimited = LIMITS.replace("8388608  ", "unlimited");
        assert_eq!(Process::parse(STATUS, &unlimited).lockable(), None);
    }

    #[test]
    fn nothing_is_known_without_the_files() {
        assert_eq!(Process::parse("", ""), Process::default());
        assert!(!Process::default().is_root());
    }
}
