//! The libdeflate accelerator as a plugin.

compressor_plugin::export_plugin!(provider_libdeflate::PROVIDER);
