use std::mem::{offset_of, size_of};

use super::{
    Capabilities, CapabilityList, Effective, Effort, Head, Host, Job, Loss, OpResult, Param,
    ParamValue, Plugin, Spec, Text,
};

/// Size and offsets of one struct, on a 64-bit machine.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its name in the header.
    pub name: &'static str,
    /// Its size in bytes.
    pub size: usize,
    /// Each field's name in the header, and its offset in bytes.
    pub fields: &'static [(&'static str, usize)],
}

/// Lists the layouts as numbers, and asserts that Rust has come to the same ones.
macro_rules! layouts {
    ($($name:literal $type:ident $size:literal { $($field:ident $offset:literal),* $(,)? })*) => {
        /// The layout of each struct of the ABI.
        pub const LAYOUTS: &[Layout] = &[$(Layout {
            name: $name,
            size: $size,
            fields: &[$((stringify!($field), $offset)),*],
        }),*];

        #[cfg(target_pointer_width = "64")]
        const _: () = {
            $(
                assert!(size_of::<$type>() == $size);
                $(assert!(offset_of!($type, $field) == $offset);)*
            )*
        };
    };
}

layouts! {
    "cp_head" Head 16 { struct_size 0, abi_major 4, abi_minor 6, magic 8 }
    "cp_text" Text 24 { data 0, capacity 8, len 16 }
    "cp_host" Host 32 { head 0, name 16, log 24 }
    "cp_param" Param 64 {
        name 0, doc 8, default_value 16, choices 24, choice_count 32, min 40, max 48, kind 56,
        reserved 60,
    }
    "cp_param_value" ParamValue 32 { name 0, text 8, number 16, kind 24, reserved 28 }
    "cp_effort" Effort 8 { effort 0, priority 4 }
    "cp_loss" Loss 16 { max_input 0, max_level 8, percent 12 }
    "cp_capabilities" Capabilities 104 {
        format 0, direction 4, min_input 8, max_input 16, max_output 24, window 32, min_level 40,
        max_level 44, default_level 48, dictionaries 52, output 56, placement 60, in_flight 64,
        self_verified 68, efforts 72, effort_count 80, losses 88, loss_count 96,
    }
    "cp_capability_list" CapabilityList 24 { items 0, count 8, item_size 16 }
    "cp_spec" Spec 48 {
        struct_size 0, format 4, level 8, window_log 12, checksum 16, dictionary_kind 20,
        dictionary 24, dictionary_len 32, effort 40, max_loss 44,
    }
    "cp_effective" Effective 16 { window 0, level 8, served 12 }
    "cp_result" OpResult 16 { len 0, native 8, reserved 12 }
    "cp_job" Job 56 { src 0, src_len 8, dst 16, dst_capacity 24, result 32, status 48, reserved 52 }
    "cp_plugin" Plugin 200 {
        head 0, id 16, description 24, formats 32, format_count 40, params 48, param_count 56,
        param_size 64, priority 72, reserved 76, open 80, close 88, capabilities 96, health 104,
        self_test 112, compressor_new 120, compressor_free 128, effective 136,
        max_compressed_len 144, session_new 152, session_free 160, compress 168, decompress 176,
        compress_many 184, decompress_many 192,
    }
}
