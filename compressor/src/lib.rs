//! One dependency for a storage engine: every codec and provider behind one registry.
