//! Makes cargo notice a new or changed software folder: they are compiled in.

fn main() {
    #[expect(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]
    {
        println!("cargo:rerun-if-changed=templates");
    }
}
