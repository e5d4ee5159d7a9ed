//! What a page draws: glyphs with their places, thin lines, dots, images.

use std::collections::HashMap;

use hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape, Vec2};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps, InterpreterCache,
    InterpreterSettings, RenderContent, SoftMask, interpret_page,
};
use hayro_syntax::Pdf;
use hayro_syntax::object::Dict;
use hayro_syntax::page::Page;

use crate::limits::Clock;

/// Glyphs read of one page; a book's page has some 3,000.
const MOST_GLYPHS: usize = 500_000;
/// Lines and dots read of one page; a drawing may have any number.
const MOST_SHAPES: usize = 20_000;
/// A filled shape thinner than this many points is a line.
const THIN: f64 = 2.5;
/// Glyphs are given in thousandths of their font's size.
const UNITS: f64 = 1000.0;

/// A glyph, in points from the top left of the page.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub(super) text: char,
    /// What follows the first character, for a glyph of several.
    pub(super) more: Option<Box<str>>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The base line.
    pub(super) y: f32,
    pub(super) size: f32,
    /// Whether the font calls itself bold; some do not say.
    pub(super) bold: bool,
    pub(super) italic: bool,
    /// How thick its strokes are, in thousandths of the size; 0 if that is not known.
    pub(super) stroke: f32,
    /// Whether the document says that it is no part of its text, such as a running head.
    artifact: bool,
    /// Quarter turns from upright.
    turned: u8,
}

/// A thin line that is level or plumb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) x0: f32,
    pub(super) y0: f32,
    pub(super) x1: f32,
    pub(super) y1: f32,
}

impl Rule {
    pub(super) fn is_level(&self) -> bool {
        self.x1 - self.x0 >= self.y1 - self.y0
    }
}

/// All that a page draws, as far as text needs it.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    pub(super) glyphs: Vec<Glyph>,
    pub(super) rules: Vec<Rule>,
    /// Centers of small shapes, as they stand before the items of a list.
    pub(super) dots: Vec<(f32, f32)>,
    pub(super) images: usize,
    /// Glyphs that no character is known for.
    pub(super) unreadable: usize,
    /// Whether there were more glyphs than are read.
    pub(super) cut: bool,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// The thickness of strokes of glyphs that were measured.
pub(super) type Strokes = HashMap<u128, f32>;

/// Reads what a page draws.
pub(super) fn page<'a>(
    page: &Page<'a>,
    pdf: &'a Pdf,
    cache: &InterpreterCache<'a>,
    strokes: &mut Strokes,
    clock: Clock,
) -> Drawn {
    let (width, height) = page.render_dimensions();
    let settings =
        InterpreterSettings { render_content: RenderContent::PAGE, ..InterpreterSettings::default() };
    let start = Affine::new(page.initial_transform(true).as_coeffs());
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let mut context = Context::new(start, bounds, cache, pdf.xref(), settings);
    let mut pen =
        Pen { drawn: Drawn { width, height, ..Drawn::default() }, strokes, marked: 0, artifact: None, clock };
    interpret_page(page, &mut context, &mut pen);
    let mut drawn = pen.drawn;
    // A program that calls most of its text an artifact does not know what one is.
    if drawn.glyphs.iter().filter(|glyph| glyph.artifact).count() * 4 < drawn.glyphs.len() {
        drawn.glyphs.retain(|glyph| !glyph.artifact);
    }
    turn_upright(&mut drawn);
    drawn
}

/// Takes down what is drawn.
struct Pen<'s> {
    drawn: Drawn,
    strokes: &'s mut Strokes,
    /// How many marked parts are open, and at which of them an artifact began.
    marked: usize,
    artifact: Option<usize>,
    clock: Clock,
}

impl Pen<'_> {
    /// Ends the thread when time is over: the interpreter has no other way to be stopped, and whoever waited for it
    /// has been answered already.
    fn check_time(&self) {
        if self.clock.left().is_zero() {
            std::panic::resume_unwind(Box::new("time is over"));
        }
    }

    fn shape(&mut self, bounds: Rect) {
        if !bounds.is_finite() || self.drawn.rules.len() + self.drawn.dots.len() >= MOST_SHAPES {
            return;
        }
        let (width, height) = (bounds.width(), bounds.height());
        if width.min(height) <= THIN && width.max(height) > 2.0 * THIN.max(width.min(height)) {
            self.drawn.rules.push(Rule {
                x0: bounds.x0 as f32,
                y0: bounds.y0 as f32,
                x1: bounds.x1 as f32,
                y1: bounds.y1 as f32,
            });
        } else if (1.0..9.0).contains(&width) && (1.0..9.0).contains(&height) {
            let center = bounds.center();
            self.drawn.dots.push((center.x as f32, center.y as f32));
        }
    }

    fn glyph(&mut self, glyph: &DrawnGlyph<'_>, transform: Affine, bold: bool, italic: bool) {
        if self.drawn.glyphs.len() >= MOST_GLYPHS {
            self.drawn.cut = true;
            return;
        }
        let advance = match glyph {
            DrawnGlyph::Outline(outline) => outline.advance_width(),
            DrawnGlyph::Type3(drawn) => drawn.advance_width(),
        };
        let advance = advance.map_or(UNITS / 2.0, f64::from);
        let origin = transform * Point::ZERO;
        let along = transform * Point::new(advance, 0.0) - origin;
        let up = transform * Point::new(0.0, UNITS) - origin;
        let Some(turned) = quarter(up) else { return };
        let size = up.hypot() as f32;
        let place = [origin.x, origin.y, along.x, along.y];
        if !size.is_finite() || size < 0.5 || place.iter().any(|one| !one.is_finite()) {
            return;
        }
        // The bitmap fonts of old TeX files name no characters, but their codes are those of ASCII.
        let code = |code: u32| char::from_u32(code).filter(char::is_ascii_graphic).map(BfString::Char);
        let guess = || match glyph {
            DrawnGlyph::Type3(drawn) => code(drawn.char_code()),
            DrawnGlyph::Outline(_) => None,
        };
        let Some(text) = glyph.as_unicode().or_else(guess) else {
            self.drawn.unreadable += 1;
            return;
        };
        let (first, more) = match text {
            BfString::Char(one) => (one, None),
            BfString::String(text) => {
                let mut characters = text.chars();
                let Some(first) = characters.next() else { return };
                let rest = characters.as_str();
                (first, (!rest.is_empty()).then(|| rest.into()))
            }
        };
        let stroke = match glyph {
            DrawnGlyph::Outline(outline) => {
                let key = outline.identifier().cache_key();
                *self.strokes.entry(key).or_insert_with(|| stroke(&outline.outline()))
            }
            DrawnGlyph::Type3(_) => 0.0,
        };
        let end = origin + along;
        // Turned text is kept with its own right and down, and turned upright when the page is.
        let (x0, x1, y) = match turned {
            0 => (origin.x, end.x, origin.y),
            1 => (origin.y, end.y, -origin.x),
            2 => (-origin.x, -end.x, -origin.y),
            _ => (-origin.y, -end.y, origin.x),
        };
        self.drawn.glyphs.push(Glyph {
            text: first,
            more,
            x0: x0.min(x1) as f32,
            x1: x1.max(x0) as f32,
            y: y as f32,
            size,
            bold,
            italic,
            stroke,
            artifact: self.artifact.is_some(),
            turned,
        });
    }
}

/// Returns the mean thickness of a shape's strokes: a long band has twice its area over its outline's length.
fn stroke(outline: &BezPath) -> f32 {
    if outline.elements().len() > 2_000 {
        return 0.0;
    }
    let around = outline.perimeter(1.0);
    let thickness = 2.0 * outline.area().abs() / around;
    if around > 0.0 && thickness.is_finite() { thickness as f32 } else { 0.0 }
}

/// Returns how many quarter turns clockwise "up" has made, or `None` for slanted text such as watermarks.
fn quarter(up: Vec2) -> Option<u8> {
    let near = |a: f64, b: f64| a.abs() < 0.1 * b.abs();
    match (up.x, up.y) {
        (x, y) if near(x, y) => Some(if y < 0.0 { 0 } else { 2 }),
        (x, y) if near(y, x) => Some(if x > 0.0 { 1 } else { 3 }),
        _ => None,
    }
}

/// Keeps the text of the direction that most of the page has.
fn turn_upright(drawn: &mut Drawn) {
    let mut counts = [0_usize; 4];
    for glyph in &drawn.glyphs {
        counts[usize::from(glyph.turned)] += 1;
    }
    // Upright text is taken when as much of it is there.
    let most = (0..4_u8).rev().max_by_key(|turned| counts[usize::from(*turned)]).unwrap_or(0);
    drawn.glyphs.retain(|glyph| glyph.turned == most);
    if most != 0 {
        drawn.rules.clear();
        drawn.dots.clear();
        let shift =
            |value: fn(&Glyph) -> f32, glyphs: &[Glyph]| glyphs.iter().map(value).fold(f32::MAX, f32::min);
        let left = shift(|glyph| glyph.x0, &drawn.glyphs);
        let top = shift(|glyph| glyph.y - glyph.size, &drawn.glyphs);
        // Its margins are not known any more; those of the text are kept small.
        for glyph in &mut drawn.glyphs {
            glyph.x0 -= left;
            glyph.x1 -= left;
            glyph.y -= top;
        }
        if most % 2 == 1 {
            std::mem::swap(&mut drawn.width, &mut drawn.height);
        }
    }
}

impl<'a> Device<'a> for Pen<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.check_time();
        let filled = matches!(mode, DrawMode::Fill(_));
        // Each part of a path may be a line of its own.
        let mut part = BezPath::new();
        let mut parts = Vec::new();
        for element in path.elements().iter().take(MOST_SHAPES) {
            if matches!(element, hayro_interpret::kurbo::PathEl::MoveTo(_)) && !part.elements().is_empty() {
                parts.push(std::mem::take(&mut part));
            }
            part.push(*element);
        }
        parts.push(part);
        for part in parts {
            let bounds = (props.transform * part).bounding_box();
            let is_small = bounds.width().max(bounds.height()) < 9.0;
            if filled || is_small || bounds.width().min(bounds.height()) <= THIN {
                self.shape(bounds);
            } else if matches!(mode, DrawMode::Stroke(_) | DrawMode::FillAndStroke(..)) {
                // A stroked box is its four sides.
                let Rect { x0, y0, x1, y1 } = bounds;
                for side in [
                    Rect::new(x0, y0, x1, y0),
                    Rect::new(x0, y1, x1, y1),
                    Rect::new(x0, y0, x0, y1),
                    Rect::new(x1, y0, x1, y1),
                ] {
                    self.shape(side);
                }
            }
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.check_time();
        let Some(first) = run.glyphs().first() else { return };
        let font = match &**first {
            DrawnGlyph::Outline(outline) => outline.font_data(),
            DrawnGlyph::Type3(_) => None,
        };
        let name =
            font.as_ref().and_then(|font| font.postscript_name.as_deref()).unwrap_or("").to_lowercase();
        // A stroke over the fill is how a bold face is feigned.
        let bold = matches!(mode, DrawMode::FillAndStroke(..))
            || ["bold", "black", "heavy", "semibold", "demi"].iter().any(|word| name.contains(word))
            || ["bx", "b10", "b12"].iter().any(|word| name.starts_with("cm") && name.contains(word))
            || font.as_ref().and_then(|font| font.weight).is_some_and(|weight| weight >= 600);
        let italic = name.contains("italic")
            || name.contains("oblique")
            || font.as_ref().is_some_and(|font| font.is_italic);
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform(), bold, italic);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.check_time();
        self.drawn.images += 1;
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.check_time();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.check_time();
    }

    fn begin_marked_content(&mut self, tag: &[u8], _: Option<&Dict<'_>>) {
        self.marked += 1;
        if tag == b"Artifact" {
            self.artifact.get_or_insert(self.marked);
        }
    }

    fn end_marked_content(&mut self) {
        if self.artifact == Some(self.marked) {
            self.artifact = None;
        }
        self.marked = self.marked.saturating_sub(1);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
