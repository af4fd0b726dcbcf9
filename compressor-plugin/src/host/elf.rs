//! Whether a library is one for this process, and all there; and which others it needs.
//!
//! The loader maps a library's segments without asking for the length of its file. Touching a page
//! that lies beyond its end kills the process with SIGBUS: one whose copying was cut short must not
//! get that far. Nor does it expect that what a table of the library leads to is not there: where the
//! space of a file is taken before it is copied, what was not copied is zeros, and ends the process
//! as well. That is told by the tables themselves, and by those of the sections. The loader does not
//! need these, and a library without them is taken; but they come last, so that zeros up to the end
//! take them along.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use object::NativeEndian;
use object::elf;
use object::pod;
use object::read::elf::{Dyn, FileHeader, ProgramHeader};

use super::error::Refusal;
use super::file::not_there;

#[cfg(target_pointer_width = "64")]
type Header = elf::FileHeader64<NativeEndian>;
#[cfg(not(target_pointer_width = "64"))]
type Header = elf::FileHeader32<NativeEndian>;
type Segment = <Header as FileHeader>::ProgramHeader;
type Section = <Header as FileHeader>::SectionHeader;
type Entry = <Header as FileHeader>::Dyn;

/// The most bytes of a name or a search path that are read: no path is longer on Linux.
const MAX_NAME: usize = 4096;

/// The most bytes of dynamic entries that are read: some thirty of 16 bytes each are usual.
const MAX_DYNAMIC: usize = 64 << 10;

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
/// No ELF library, one for another machine, one with a segment that its file does not hold, one of
/// whose tables some are zeros or nowhere.
pub(super) fn check(file: &File) -> Result<(), Refusal> {
    needs(file).map(drop)
}

/// What a library says about those that it needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Their names, or paths.
    pub(super) names: Vec<Vec<u8>>,
    /// The directories in which to look for them, with colons between (`DT_RUNPATH`).
    pub(super) run_path: Option<Vec<u8>>,
    /// Those in which to look for them and for what they need, if there is no `run_path` (`DT_RPATH`).
    pub(super) inherited_path: Vec<u8>,
}

/// [`Check`](check)s a library, and reads what it needs. Names that are not there the loader is left
/// to tell.
///
/// # Errors
///
/// As in [`check`].
pub(super) fn needs(file: &File) -> Result<Needs, Refusal> {
    let bytes = Bytes::of(file)?;
    read_needs(&bytes, &segments(&bytes)?)
}

/// Where bytes can be read from any offset.
trait ReadAt {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(into, offset)
    }
}

/// A file of which nothing is asked that lies beyond its end.
struct Bytes<'a, R> {
    from: &'a R,
    len: u64,
}

impl<'a> Bytes<'a, File> {
    fn of(file: &'a File) -> Result<Self, Refusal> {
        let len = file.metadata().map_err(|error| not_there(&error))?.len();
        Ok(Self { from: file, len })
    }
}

impl<R: ReadAt> Bytes<'_, R> {
    fn get(&self, offset: u64, size: usize) -> Result<Vec<u8>, Refusal> {
        let end = offset.checked_add(size as u64);
        if end.is_none_or(|end| end > self.len) {
            return Err(cut_short(self.len, end));
        }
        let mut bytes = vec![0; size];
        self.from
            .read_at(offset, &mut bytes)
            .map_err(|error| not_there(&error))?;
        Ok(bytes)
    }

    /// The string at an offset, of at most [`MAX_NAME`] bytes.
    fn string(&self, offset: u64) -> Option<Vec<u8>> {
        let left = usize::try_from(self.len.checked_sub(offset)?).unwrap_or(MAX_NAME);
        let bytes = self.get(offset, left.min(MAX_NAME)).ok()?;
        let end = bytes.iter().position(|byte| *byte == 0)?;
        bytes.get(..end).map(Vec::from)
    }
}

/// The segments of a library, of which those that are loaded are all there.
fn segments(bytes: &Bytes<'_, impl ReadAt>) -> Result<Vec<Segment>, Refusal> {
    let magic = elf::ELFMAG;
    if bytes.len < magic.len() as u64 || bytes.get(0, magic.len())? != magic {
        return Err(Refusal::NotALibrary);
    }
    let header = bytes.get(0, size_of::<Header>())?;
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
    let segments = bytes.get(
        number(header.e_phoff(NativeEndian)),
        count.saturating_mul(segment_size),
    )?;
    let (segments, _) =
        pod::slice_from_bytes::<Segment>(&segments, count).map_err(|()| Refusal::NotALibrary)?;
    loaded(segments).try_for_each(|segment| is_all_there(segment, bytes.len))?;
    ends_as_it_was_written(bytes, header)?;
    Ok(segments.to_vec())
}

fn loaded(segments: &[Segment]) -> impl Iterator<Item = &Segment> {
    segments
        .iter()
        .filter(|segment| segment.p_type(NativeEndian) == elf::PT_LOAD)
}

/// What the dynamic entries say, as far as the loader relies on it.
fn read_needs(bytes: &Bytes<'_, impl ReadAt>, segments: &[Segment]) -> Result<Needs, Refusal> {
    let dynamic = segments
        .iter()
        .find(|segment| segment.p_type(NativeEndian) == elf::PT_DYNAMIC)
        .ok_or_else(|| damaged("it has no dynamic entries".into()))?;
    let size = usize::try_from(number(dynamic.p_filesz(NativeEndian))).unwrap_or(MAX_DYNAMIC);
    let count = size.min(MAX_DYNAMIC) / size_of::<Entry>();
    let entries = bytes.get(
        number(dynamic.p_offset(NativeEndian)),
        count * size_of::<Entry>(),
    )?;
    let (entries, _) =
        pod::slice_from_bytes::<Entry>(&entries, count).map_err(|()| Refusal::NotALibrary)?;
    let entries: Vec<(u64, u64)> = entries
        .iter()
        .map(|entry| (entry.d_tag(NativeEndian), entry.d_val(NativeEndian)))
        .map(|(tag, value)| (number(tag), number(value)))
        .collect();
    if !entries
        .iter()
        .any(|(tag, _)| *tag == u64::from(elf::DT_NULL))
    {
        return Err(damaged("its dynamic entries have no end".into()));
    }
    let values = |tag: u32| {
        { entries.iter() }
            .take_while(|(tag, _)| *tag != u64::from(elf::DT_NULL))
            .filter(move |(known, _)| *known == u64::from(tag))
            .map(|(_, value)| *value)
    };
    // Addresses, whose places in the file the segments tell in which they lie.
    let place = |what: &str, tags: &[u32]| {
        let address = tags.iter().find_map(|tag| values(*tag).next());
        address
            .and_then(|address| in_file(segments, address))
            .ok_or_else(|| damaged(format!("its {what} is not in it")))
    };
    place("table of symbols", &[elf::DT_SYMTAB])?;
    place("hash table of symbols", &[elf::DT_GNU_HASH, elf::DT_HASH])?;
    let strings = place("table of strings", &[elf::DT_STRTAB])?;
    let len = values(elf::DT_STRSZ).next().unwrap_or(0);
    // The first is empty, and one that exports anything has a name for it.
    let start = bytes.get(strings, if len < 2 { 0 } else { 2 })?;
    if !matches!(*start, [0, second] if second != 0) {
        return Err(damaged("its table of strings is empty".into()));
    }
    let string = |at: u64| bytes.string(strings.checked_add(at)?);
    Ok(Needs {
        names: values(elf::DT_NEEDED).filter_map(string).collect(),
        run_path: values(elf::DT_RUNPATH).next().and_then(string),
        inherited_path: { values(elf::DT_RPATH).next() }
            .and_then(string)
            .unwrap_or_default(),
    })
}

/// Where in the file lies what will be at an address; `None` if nothing of the file will be there.
fn in_file(segments: &[Segment], address: u64) -> Option<u64> {
    loaded(segments).find_map(|segment| {
        let inside = address.checked_sub(number(segment.p_vaddr(NativeEndian)))?;
        let here = inside < number(segment.p_filesz(NativeEndian));
        number(segment.p_offset(NativeEndian))
            .checked_add(inside)
            .filter(|_| here)
    })
}

/// Refuses a library whose sections are said to be listed where zeros are: the section that has their
/// names is never one without a type.
fn ends_as_it_was_written(bytes: &Bytes<'_, impl ReadAt>, header: &Header) -> Result<(), Refusal> {
    let (count, size) = (
        header.e_shnum(NativeEndian),
        header.e_shentsize(NativeEndian),
    );
    let (names, start) = (
        header.e_shstrndx(NativeEndian),
        header.e_shoff(NativeEndian),
    );
    if usize::from(size) != size_of::<Section>() || names >= count || names == 0 {
        return Ok(());
    }
    let offset = number(start).checked_add(u64::from(names) * u64::from(size));
    // Where the file ends before, the loader does without.
    let section = offset.and_then(|offset| bytes.get(offset, size.into()).ok());
    if section.is_some_and(|section| section.iter().all(|byte| *byte == 0)) {
        return Err(damaged(
            "its end is zeros, as if it was not copied to the end".into(),
        ));
    }
    Ok(())
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
    const LEN: usize = CONTENT + 200;

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

    impl ReadAt for Vec<u8> {
        fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
            let start = usize::try_from(offset).unwrap();
            into.copy_from_slice(&self[start..start + into.len()]);
            Ok(())
        }
    }

    fn bytes(from: &Vec<u8>) -> Bytes<'_, Vec<u8>> {
        let len = from.len() as u64;
        Bytes { from, len }
    }

    fn check(of: &Vec<u8>) -> Result<(), Refusal> {
        segments(&bytes(of)).map(drop)
    }

    fn needs(of: &Vec<u8>) -> Result<Needs, Refusal> {
        read_needs(&bytes(of), &segments(&bytes(of))?)
    }

    /// Where the strings of [`needy`] begin.
    const STRINGS: usize = CONTENT + 9 * size_of::<Entry>();

    /// The same with a table of what it needs.
    #[cfg(target_pointer_width = "64")]
    fn needy() -> Vec<u8> {
        let mut bytes = library();
        let dynamic = SEGMENTS + size_of::<Segment>();
        set(&mut bytes, dynamic, &elf::PT_DYNAMIC.to_ne_bytes());
        set(&mut bytes, dynamic + 8, &(CONTENT as u64).to_ne_bytes());
        set(
            &mut bytes,
            dynamic + 32,
            &(9 * size_of::<Entry>() as u64).to_ne_bytes(),
        );
        let entries = [
            (elf::DT_SYMTAB, CONTENT as u64),
            (elf::DT_HASH, CONTENT as u64),
            (elf::DT_STRSZ, 23),
            (elf::DT_NEEDED, 1),
            (elf::DT_STRTAB, STRINGS as u64),
            (elf::DT_NEEDED, 6),
            (elf::DT_RUNPATH, 12),
            (elf::DT_RPATH, 20),
        ];
        for (i, (tag, value)) in entries.into_iter().enumerate() {
            let entry = [u64::from(tag), value].map(u64::to_ne_bytes).concat();
            set(&mut bytes, CONTENT + i * size_of::<Entry>(), &entry);
        }
        set(&mut bytes, STRINGS, b"\0a.so\0/b.so\0$ORIGIN:/c\0");
        bytes
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_library_without_sections_passes_and_none_of_its_beginnings_does() {
        let bytes = library();
        assert_eq!(check(&bytes), Ok(()));
        for len in 0..LEN {
            let refused = check(&bytes[..len].to_vec()).unwrap_err();
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
    fn what_a_library_needs_is_read() {
        let bytes = needy();
        let expected = Needs {
            names: vec![b"a.so".to_vec(), b"/b.so".to_vec()],
            run_path: Some(b"$ORIGIN:/c".to_vec()),
            inherited_path: b"/c".to_vec(),
        };
        assert_eq!(needs(&bytes), Ok(expected));
        let mut endless = bytes;
        endless[STRINGS + 1..].fill(b'x');
        // No string ends.
        assert_eq!(needs(&endless), Ok(Needs::default()));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn tables_that_are_zeros_or_nowhere_are_refused() {
        let refused = |change: &dyn Fn(&mut Vec<u8>), says: &str| {
            let mut bytes = needy();
            change(&mut bytes);
            let line = needs(&bytes).unwrap_err().to_string();
            assert!(line.contains(says), "{line:?} does not say {says:?}");
        };
        let entry = |at: usize| CONTENT + at * size_of::<Entry>();
        refused(&|bytes| *bytes = library(), "no dynamic entries");
        refused(
            &|bytes| bytes[CONTENT..].fill(0),
            "table of symbols is not in it",
        );
        refused(
            &|bytes| bytes[entry(1)..].fill(0),
            "hash table of symbols is not",
        );
        refused(
            &|bytes| bytes[entry(3)..].fill(0),
            "table of strings is not in it",
        );
        refused(
            &|bytes| bytes[entry(2) + 8] = 0,
            "table of strings is empty",
        );
        refused(
            &|bytes| bytes[STRINGS..].fill(0),
            "table of strings is empty",
        );
        refused(
            &|bytes| bytes[STRINGS..].fill(1),
            "table of strings is empty",
        );
        refused(
            &|bytes| bytes[entry(4) + 15] = 1,
            "table of strings is not in it",
        );
        refused(&|bytes| bytes[entry(8)] = 1, "dynamic entries have no end");
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_table_of_sections_that_is_zeros_is_refused_and_none_is_taken() {
        let size = size_of::<Section>();
        let mut bytes = needy();
        bytes.resize(LEN + 3 * size, 0);
        set(&mut bytes, 40, &(LEN as u64).to_ne_bytes());
        set(&mut bytes, 58, &(size as u16).to_ne_bytes());
        set(&mut bytes, 60, &3_u16.to_ne_bytes());
        set(&mut bytes, 62, &2_u16.to_ne_bytes());
        let line = check(&bytes).unwrap_err().to_string();
        assert!(line.contains("its end is zeros"), "{line}");
        bytes[LEN + 2 * size + 4] = 3;
        assert_eq!(check(&bytes), Ok(()));
        bytes.truncate(LEN);
        assert_eq!(check(&bytes), Ok(()));
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn no_byte_of_the_headers_leads_beyond_the_file() {
        // A read would panic on a slice that is not there.
        // Miri takes minutes for all of them.
        for at in (0..LEN).step_by(if cfg!(miri) { 9 } else { 1 }) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = needy();
                bytes[at] = value;
                let _ = needs(&bytes);
                bytes[at..].fill(value);
                let _ = needs(&bytes);
            }
        }
    }
}
