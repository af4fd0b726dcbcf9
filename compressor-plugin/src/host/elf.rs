//! Whether a library is one for this process, and all there.
//!
//! The loader maps a library's segments without asking for the length of its file. Touching a page
//! that lies beyond its end kills the process with SIGBUS: one whose copying was cut short must not
//! get that far. Sections are not looked at, for the loader does not need them either.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use object::NativeEndian;
use object::elf;
use object::pod;
use object::read::elf::{FileHeader, ProgramHeader};

use super::error::Refusal;
use super::file::not_there;

#[cfg(target_pointer_width = "64")]
type Header = elf::FileHeader64<NativeEndian>;
#[cfg(not(target_pointer_width = "64"))]
type Header = elf::FileHeader32<NativeEndian>;
type Segment = <Header as FileHeader>::ProgramHeader;

/// Of libraries that this process can load.
const CLASS: u8 = if cfg!(target_pointer_width = "64") {
    elf::ELFCLASS64
} else {
    elf::ELFCLASS32
};
const BYTE_ORDER: u8 = if cfg!(target_endian = "little") {
    elf::ELFDATA2LSB
} else {
    elf::ELFDATA2MSB
};
/// `None` for an architecture that is not known here: its loader is left to tell.
const MACHINE: Option<u16> = if cfg!(target_arch = "x86_64") {
    Some(elf::EM_X86_64)
} else if cfg!(target_arch = "aarch64") {
    Some(elf::EM_AARCH64)
} else if cfg!(target_arch = "x86") {
    Some(elf::EM_386)
} else if cfg!(target_arch = "arm") {
    Some(elf::EM_ARM)
} else if cfg!(target_arch = "powerpc64") {
    Some(elf::EM_PPC64)
} else if cfg!(target_arch = "s390x") {
    Some(elf::EM_S390)
} else if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
    Some(elf::EM_RISCV)
} else if cfg!(target_arch = "loongarch64") {
    Some(elf::EM_LOONGARCH)
} else {
    None
};

/// Looks at the headers of a library without loading it.
///
/// # Errors
///
/// No ELF library, one for another machine, one with a segment that its file does not hold.
pub(super) fn check(file: &File) -> Result<(), Refusal> {
    let len = file.metadata().map_err(|error| not_there(&error))?.len();
    check_bytes(len, |offset, bytes| file.read_exact_at(bytes, offset))
}

/// The same for `len` bytes of which `read` fills a buffer from an offset.
fn check_bytes(len: u64, read: impl Fn(u64, &mut [u8]) -> io::Result<()>) -> Result<(), Refusal> {
    // Nothing is asked for that lies beyond `len`.
    let read = |offset: u64, size: usize| {
        let end = offset.checked_add(size as u64);
        if end.is_none_or(|end| end > len) {
            return Err(cut_short(len, end));
        }
        let mut bytes = vec![0; size];
        read(offset, &mut bytes).map_err(|error| not_there(&error))?;
        Ok(bytes)
    };
    let magic = elf::ELFMAG;
    if len < magic.len() as u64 || read(0, magic.len())? != magic {
        return Err(Refusal::NotALibrary);
    }
    let header = read(0, size_of::<Header>())?;
    let (header, _) = pod::from_bytes::<Header>(&header).map_err(|()| Refusal::NotALibrary)?;
    is_for_this_machine(header)?;
    if header.e_type(NativeEndian) != elf::ET_DYN {
        return Err(Refusal::NotALibrary);
    }
    let segment_size = usize::from(header.e_phentsize(NativeEndian));
    if segment_size != size_of::<Segment>() {
        return Err(damaged(format!(
            "its program headers have {segment_size} bytes each"
        )));
    }
    // At most 65,535 of them, 3.6 MB, and never more than there are bytes.
    let count = usize::from(header.e_phnum(NativeEndian));
    let segments = read(
        number(header.e_phoff(NativeEndian)),
        count.saturating_mul(segment_size),
    )?;
    let (segments, _) =
        pod::slice_from_bytes::<Segment>(&segments, count).map_err(|()| Refusal::NotALibrary)?;
    segments
        .iter()
        .filter(|segment| segment.p_type(NativeEndian) == elf::PT_LOAD)
        .try_for_each(|segment| is_all_there(segment, len))
}

/// A number that is as wide as the class says.
fn number(word: impl Into<u64>) -> u64 {
    word.into()
}

fn is_for_this_machine(header: &Header) -> Result<(), Refusal> {
    let ident = header.e_ident();
    // What follows is in the byte order of that machine.
    if (ident.class, ident.data) != (CLASS, BYTE_ORDER) {
        return Err(Refusal::OtherMachine {
            why: format!(
                "class {} and byte order {}, not {CLASS} and {BYTE_ORDER}",
                ident.class, ident.data
            ),
        });
    }
    let machine = header.e_machine(NativeEndian);
    match MACHINE.filter(|this| *this != machine) {
        None => Ok(()),
        Some(this) => Err(Refusal::OtherMachine {
            why: format!("architecture {machine}, not {this}"),
        }),
    }
}

fn is_all_there(segment: &Segment, len: u64) -> Result<(), Refusal> {
    let offset = number(segment.p_offset(NativeEndian));
    let in_file = number(segment.p_filesz(NativeEndian));
    let end = offset.checked_add(in_file);
    if end.is_none_or(|end| end > len) {
        return Err(cut_short(len, end));
    }
    let in_memory = number(segment.p_memsz(NativeEndian));
    if in_file > in_memory {
        return Err(damaged(format!(
            "a segment has {in_file} bytes in the file, but only {in_memory} in memory"
        )));
    }
    Ok(())
}

fn cut_short(len: u64, end: Option<u64>) -> Refusal {
    damaged(match end {
        Some(end) => format!("the file is cut short: it has {len} bytes of at least {end}"),
        None => format!("the file has {len} bytes and claims more than any file has"),
    })
}

fn damaged(why: String) -> Refusal {
    Refusal::Damaged { why }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the parts of [`library`] begin.
    const SEGMENTS: usize = size_of::<Header>();
    const CONTENT: usize = SEGMENTS + 2 * size_of::<Segment>();
    /// Its length.
    const LEN: usize = CONTENT + 100;

    fn set(bytes: &mut [u8], at: usize, value: &[u8]) {
        bytes[at..at + value.len()].copy_from_slice(value);
    }

    /// The least that passes on a 64-bit machine: a header, a segment over the whole file, and one
    /// that is not loaded.
    #[cfg(target_pointer_width = "64")]
    fn library() -> Vec<u8> {
        let mut bytes = vec![0; LEN];
        set(&mut bytes, 0, &elf::ELFMAG);
        set(&mut bytes, 4, &[CLASS, BYTE_ORDER, elf::EV_CURRENT]);
        set(&mut bytes, 16, &elf::ET_DYN.to_ne_bytes());
        set(&mut bytes, 18, &MACHINE.unwrap_or(0).to_ne_bytes());
        set(&mut bytes, 32, &(SEGMENTS as u64).to_ne_bytes());
        set(&mut bytes, 54, &(size_of::<Segment>() as u16).to_ne_bytes());
        set(&mut bytes, 56, &2u16.to_ne_bytes());
        set(&mut bytes, SEGMENTS, &elf::PT_LOAD.to_ne_bytes());
        set(&mut bytes, SEGMENTS + 32, &(LEN as u64).to_ne_bytes());
        set(&mut bytes, SEGMENTS + 40, &(LEN as u64).to_ne_bytes());
        let note = SEGMENTS + size_of::<Segment>();
        set(&mut bytes, note, &elf::PT_NOTE.to_ne_bytes());
        set(&mut bytes, note + 32, &u64::MAX.to_ne_bytes());
        bytes
    }

    fn check(bytes: &[u8]) -> Result<(), Refusal> {
        check_bytes(bytes.len() as u64, |offset, into| {
            let start = usize::try_from(offset).unwrap();
            into.copy_from_slice(&bytes[start..start + into.len()]);
            Ok(())
        })
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_library_without_sections_passes_and_none_of_its_beginnings_does() {
        let bytes = library();
        assert_eq!(check(&bytes), Ok(()));
        for len in 0..LEN {
            let refused = check(&bytes[..len]).unwrap_err();
            match len {
                0..4 => assert_eq!(refused, Refusal::NotALibrary),
                _ => assert!(
                    matches!(&refused, Refusal::Damaged { why } if why.contains("cut short")),
                    "{len}: {refused}"
                ),
            }
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn what_this_process_cannot_load_is_said() {
        let other = |machine: u16| MACHINE.unwrap_or(0).wrapping_add(machine).to_ne_bytes();
        let wide = u64::MAX.to_ne_bytes();
        for (at, value, says) in [
            (4, &[3 - CLASS][..], "class 1 and byte order"),
            (5, &[3 - BYTE_ORDER], "another machine"),
            (18, &other(1), "another machine"),
            (16, &elf::ET_EXEC.to_ne_bytes(), "is not a shared library"),
            (16, &elf::ET_REL.to_ne_bytes(), "is not a shared library"),
            (54, &[0, 0], "program headers have 0 bytes"),
            (56, &[255, 255], "cut short"),
            (32, &wide, "more than any file has"),
            (SEGMENTS + 8, &wide, "more than any file has"),
            (SEGMENTS + 8, &1u64.to_ne_bytes(), "cut short"),
            (SEGMENTS + 40, &99u64.to_ne_bytes(), "only 99 in memory"),
        ] {
            let mut bytes = library();
            set(&mut bytes, at, value);
            let refused = check(&bytes).unwrap_err().to_string();
            assert!(refused.contains(says), "{refused:?} does not say {says:?}");
        }
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn no_byte_of_the_headers_leads_beyond_the_file() {
        // `check` would panic on a slice that is not there.
        for at in 0..CONTENT {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = library();
                bytes[at] = value;
                let _ = check(&bytes);
                bytes[at..CONTENT].fill(value);
                let _ = check(&bytes);
            }
        }
    }
}
