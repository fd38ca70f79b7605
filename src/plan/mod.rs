//! Floor 4: a topology and a catalogue become ordered steps, rendered files and hashes.

mod planned;
