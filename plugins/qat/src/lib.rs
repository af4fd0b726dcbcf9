//! The Intel QAT accelerator as a plugin.

compressor_plugin::export_plugin!(provider_qat::PROVIDER);
