//! The ISA-L accelerator as a plugin.

compressor_plugin::export_plugin!(provider_isal::PROVIDER);
