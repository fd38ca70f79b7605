//! SVG to PNG with the built-in fonts only.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use crate::report::error::ReportError;

/// Pixels of the picture for each pixel of the SVG.
const SCALE: f32 = 2.0;

const REGULAR: &[u8] = include_bytes!("../fonts/DejaVuSans-subset.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/DejaVuSans-Bold-subset.ttf");

/// The picture as PNG, twice as large as the SVG.
pub(super) fn png(chart: &str, svg: &str) -> Result<Vec<u8>, ReportError> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(REGULAR.to_vec());
    fonts.load_font_data(BOLD.to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options)
        .map_err(|error| ReportError::Picture { chart: chart.to_owned(), source: Box::new(error) })?;
    let size = tree.size();
    let (width, height) = ((size.width() * SCALE).ceil() as u32, (size.height() * SCALE).ceil() as u32);
    let too_large = || ReportError::TooLarge { chart: chart.to_owned(), width, height };
    let mut pixels = Pixmap::new(width, height).ok_or_else(too_large)?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|error| ReportError::Picture { chart: chart.to_owned(), source: error.to_string().into() })
}
