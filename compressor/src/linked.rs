use compressor_api::{ProviderEntry, stored};

/// The providers that this build links: one for each feature that is on, and `software.none`.
///
/// Naming them here is what keeps the linker from dropping them.
pub static LINKED: &[&ProviderEntry] = &[
    &stored::PROVIDER,
    #[cfg(feature = "deflate")]
    &compressor_deflate::PROVIDER,
    #[cfg(feature = "isal")]
    &provider_isal::PROVIDER,
    #[cfg(feature = "libdeflate")]
    &provider_libdeflate::PROVIDER,
    #[cfg(feature = "lz4")]
    &compressor_lz4::PROVIDER,
    #[cfg(feature = "qat")]
    &provider_qat::PROVIDER,
    #[cfg(feature = "snappy")]
    &compressor_snappy::PROVIDER,
    #[cfg(feature = "zstd")]
    &compressor_zstd::PROVIDER,
];
