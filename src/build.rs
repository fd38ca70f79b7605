//! Makes cargo notice a new or changed software folder: they are compiled in.

fn main() {
    println!("cargo:rerun-if-changed=templates");
}
