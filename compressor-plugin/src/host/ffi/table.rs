use std::ffi::{CString, c_char};
use std::ptr::{self, NonNull};

use super::pointed::{copy, list, string, with_text};
use super::{Factory, NO_FUNCTION};
use crate::abi::{self, ABI_MAJOR, ABI_MINOR, CP_OK, Head, PLUGIN_MAGIC, first};
use crate::codes;
use crate::host::description::{Draft, DraftParam};
use crate::host::error::{Refusal, Violation};
use crate::host::quarantine::Quarantine;

/// A plugin's table: a copy, in which no function is missing that must be there.
#[derive(Debug)]
pub(in crate::host) struct Table(pub(super) abi::Plugin);

// SAFETY: the header demands that what the table points to never changes, and that its functions
// can be called from any thread.
unsafe impl Send for Table {}
// SAFETY: as above.
unsafe impl Sync for Table {}

impl Table {
    /// Reads the table that an entry point returned.
    ///
    /// # Safety
    ///
    /// `table` is null or valid for reads of the head, and of as many bytes as that states.
    pub(super) unsafe fn read(table: *const abi::Plugin) -> Result<Self, Refusal> {
        if table.is_null() {
            return Err(Refusal::NoTable);
        }
        if !table.is_aligned() {
            return Err(Refusal::NotATable);
        }
        // SAFETY: valid for the head, and aligned.
        let head = unsafe { table.cast::<Head>().read() };
        if head.magic != PLUGIN_MAGIC {
            return Err(Refusal::Magic { found: head.magic });
        }
        if head.abi_major != ABI_MAJOR {
            return Err(Refusal::OtherMajor {
                plugin: head.abi_major,
            });
        }
        if (head.struct_size as usize) < first::PLUGIN {
            return Err(Refusal::TooSmall {
                found: head.struct_size,
                least: first::PLUGIN,
            });
        }
        // SAFETY: valid for as many bytes as the head states; every field may be zero.
        let table = unsafe { copy(table, head.struct_size as usize) };
        let missing = [
            (table.open.is_none(), "open"),
            (table.close.is_none(), "close"),
            (table.capabilities.is_none(), "capabilities"),
            (table.health.is_none(), "health"),
            (table.compressor_new.is_none(), "compressor_new"),
            (table.compressor_free.is_none(), "compressor_free"),
            (table.effective.is_none(), "effective"),
            (table.max_compressed_len.is_none(), "max_compressed_len"),
            (table.session_new.is_none(), "session_new"),
            (table.session_free.is_none(), "session_free"),
            (table.compress.is_none(), "compress"),
            (table.decompress.is_none(), "decompress"),
        ];
        match missing.into_iter().find(|(missing, _)| *missing) {
            Some((_, entry)) => Err(Refusal::NullEntry { entry }),
            None => Ok(Self(table)),
        }
    }

    /// Whether the plugin was built for a newer minor version than this host.
    pub(in crate::host) fn is_newer(&self) -> bool {
        self.0.head.abi_minor > ABI_MINOR
    }

    /// What the plugin says about itself.
    pub(in crate::host) fn draft(&self) -> Result<Draft, Violation> {
        let table = &self.0;
        // SAFETY: the header demands strings and lists of the stated length.
        unsafe {
            let formats = list(
                table.formats,
                table.format_count,
                size_of::<u32>(),
                size_of::<u32>(),
                "formats",
            )?;
            let formats = formats
                .into_iter()
                .filter_map(|id| match codes::format(id) {
                    Some(format) => Some(Ok(format)),
                    // A format that this host has no word for cannot be asked for.
                    None if self.is_newer() => None,
                    None => Some(Err(Violation(format!("lists the unknown format {id}")))),
                })
                .collect::<Result<Vec<_>, _>>()?;
            let params = list(
                table.params,
                table.param_count,
                table.param_size,
                first::PARAM,
                "parameters",
            )?;
            Ok(Draft {
                id: string(table.id, "its id")?,
                description: string(table.description, "its description")?,
                formats,
                priority: table.priority,
                params: params
                    .iter()
                    .map(|param| draft_param(param))
                    .collect::<Result<_, _>>()?,
            })
        }
    }

    /// Opens the plugin: status, reason, and the factory if the plugin returned one.
    pub(in crate::host) fn open(
        &'static self,
        values: &[Value],
        quarantine: Quarantine,
    ) -> (i32, Result<String, Violation>, Option<Factory>) {
        let Some(open) = self.0.open else {
            return (NO_FUNCTION, Ok(String::new()), None);
        };
        let values: Vec<abi::ParamValue> = values.iter().map(Value::as_abi).collect();
        let mut factory = ptr::null_mut();
        let (status, why) = with_text(|why| {
            // SAFETY: every pointer is valid until the call returns.
            unsafe {
                open(
                    values.as_ptr(),
                    values.len(),
                    size_of::<abi::ParamValue>(),
                    &raw mut factory,
                    why,
                )
            }
        });
        let factory = NonNull::new(factory)
            .filter(|_| status == CP_OK)
            .map(|handle| Factory {
                table: self,
                handle,
                quarantine,
            });
        (status, why, factory)
    }
}

/// # Safety
///
/// The strings of `param` are null or strings, its choices as many as it states.
unsafe fn draft_param(param: &abi::Param) -> Result<DraftParam, Violation> {
    // SAFETY: the caller says so.
    unsafe {
        let choices = list(
            param.choices,
            param.choice_count,
            size_of::<*const c_char>(),
            size_of::<*const c_char>(),
            "choices",
        )?;
        Ok(DraftParam {
            name: string(param.name, "the name of a parameter")?,
            doc: string(param.doc, "the doc of a parameter")?,
            default: string(param.default_value, "the default of a parameter")?,
            kind: param.kind,
            min: param.min,
            max: param.max,
            choices: choices
                .iter()
                .map(|choice| string(*choice, "a choice of a parameter"))
                .collect::<Result<_, _>>()?,
        })
    }
}

/// The value of a parameter, as `open` gets it.
#[derive(Debug)]
pub(in crate::host) struct Value {
    pub(in crate::host) name: CString,
    pub(in crate::host) text: Option<CString>,
    pub(in crate::host) number: i64,
    pub(in crate::host) kind: u32,
}

impl Value {
    fn as_abi(&self) -> abi::ParamValue {
        abi::ParamValue {
            name: self.name.as_ptr(),
            text: self.text.as_ref().map_or(ptr::null(), |text| text.as_ptr()),
            number: self.number,
            kind: self.kind,
            reserved: 0,
        }
    }
}
