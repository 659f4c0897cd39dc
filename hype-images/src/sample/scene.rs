//! Balls on a table, and the flaws that models add.

use super::Process;
use crate::splitmix::SplitMix64;

/// The number of points along each side of a pixel that are averaged.
const GRID: u32 = 2;

/// Lengths are shares of the image's side; `x` goes right, `y` down, and `z` towards the eye.
pub(super) struct Scene {
    /// The direction of the light, of length 1.
    light: [f64; 3],
    wall: [f64; 3],
    table: [f64; 3],
    /// The numbers of panels of the wall and of tiles of the table.
    panels: f64,
    tiles: f64,
    /// The edge between wall and table.
    horizon: f64,
    /// From the farthest to the nearest.
    balls: Vec<Ball>,
    fault: Fault,
    /// Seeds the grain of the image.
    grain: u64,
}

struct Ball {
    centre: [f64; 2],
    radius: f64,
    paints: [[f64; 3]; 2],
    /// The number of stripes on the ball, and their direction.
    stripes: f64,
    direction: [f64; 2],
}

/// The flaws of an image.
struct Fault {
    /// By how much the balls are wider than high.
    squash: f64,
    /// How far highlights are displaced.
    highlight: f64,
    /// 1 where shadows fall away from the light, -1 where they fall towards it.
    shadow: f64,
    /// How far outlines waver.
    waver: f64,
    /// How far bands of the image are torn sideways.
    tear: f64,
    /// The share of a single colour in each block.
    blocky: f64,
}

impl Fault {
    fn of(process: Process, chance: &mut Chance) -> Self {
        let none = Self { squash: 0.0, highlight: 0.0, shadow: 1.0, waver: 0.0, tear: 0.0, blocky: 0.0 };
        let side = if chance.unit() < 0.5 { -1.0 } else { 1.0 };
        match process {
            Process::Real => none,
            Process::Good => Self {
                squash: side * chance.between(0.04, 0.09),
                highlight: chance.between(0.3, 0.6),
                ..none
            },
            Process::Middling => Self {
                squash: side * chance.between(0.06, 0.14),
                highlight: chance.between(0.5, 0.9),
                shadow: -1.0,
                waver: chance.between(0.05, 0.08),
                ..none
            },
            Process::Weak => Self {
                squash: side * chance.between(0.1, 0.25),
                highlight: chance.between(0.8, 1.2),
                shadow: -1.0,
                waver: chance.between(0.08, 0.14),
                tear: chance.between(0.04, 0.08),
                blocky: chance.between(0.5, 0.7),
            },
        }
    }
}

/// Blocks along a side of a blocky image, and bands of a torn one.
const BLOCKS: f64 = 16.0;
const BANDS: f64 = 8.0;

/// Ambient light.
const AMBIENT: f64 = 0.28;

impl Scene {
    pub(super) fn new(process: Process, key: u64) -> Self {
        let mut chance = Chance(SplitMix64(key));
        let fault = Fault::of(process, &mut chance);
        let light =
            unit_vector([chance.between(-1.0, 1.0), chance.between(-1.1, -0.6), chance.between(0.6, 1.0)]);
        let horizon = chance.between(0.34, 0.46);
        let wall = chance.colour(0.35, 0.8);
        let table = chance.colour(0.3, 0.75);
        let (panels, tiles) = (chance.between(3.0, 8.0), chance.between(1.5, 3.0));
        let count = 2 + (chance.unit() * 2.0) as usize;
        let mut balls: Vec<Ball> = (0..count).map(|number| chance.ball(number, count, horizon)).collect();
        balls.sort_by(|one, other| one.foot().total_cmp(&other.foot()));
        Self { light, wall, table, panels, tiles, horizon, balls, fault, grain: chance.0.bits() }
    }

    /// The levels of a pixel of an image of `size` pixels a side.
    pub(super) fn pixel(&self, x: u32, y: u32, size: u32) -> [u8; 3] {
        let side = f64::from(size);
        let mut sum = [0.0; 3];
        for point in 0..GRID * GRID {
            let place =
                |at: u32, step: u32| (f64::from(at) + (f64::from(step) + 0.5) / f64::from(GRID)) / side;
            let colour = self.look(place(x, point % GRID), place(y, point / GRID));
            sum = add(sum, colour, 1.0 / f64::from(GRID * GRID));
        }
        let grain = Chance(SplitMix64(self.grain ^ (u64::from(y) << 32 | u64::from(x)))).unit() - 0.5;
        sum.map(|level| ((level + 0.03 * grain).clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
    }

    /// The colour at a position, after the flaws that a model adds to the whole image.
    fn look(&self, x: f64, y: f64) -> [f64; 3] {
        let Fault { tear, blocky, .. } = self.fault;
        if blocky == 0.0 {
            return self.colour(x, y);
        }
        let band = Chance(SplitMix64(self.grain ^ ((y * BANDS) as u64))).unit();
        let x = x + tear * (2.0 * band - 1.0);
        let middle = |place: f64| ((place * BLOCKS).floor() + 0.5) / BLOCKS;
        add(self.colour(x, y).map(|level| level * (1.0 - blocky)), self.colour(middle(x), middle(y)), blocky)
    }

    fn colour(&self, x: f64, y: f64) -> [f64; 3] {
        let ball = self.balls.iter().rev().find_map(|ball| self.on(ball, x, y));
        ball.unwrap_or_else(|| self.ground(x, y))
    }

    /// The wall and the table, with the balls' shadows.
    fn ground(&self, x: f64, y: f64) -> [f64; 3] {
        if y < self.horizon {
            let panel = if odd(x * self.panels) { 0.8 } else { 1.0 };
            return self.wall.map(|level| level * panel * (0.75 + 0.25 * y / self.horizon));
        }
        let depth = (y - self.horizon) / (1.0 - self.horizon);
        // Lines away from the eye meet above the horizon.
        let away = self.tiles / (0.25 + depth);
        let tile = if odd((x - 0.5) * away + 64.0) == odd(2.0 * away) { 0.75 } else { 1.0 };
        let mut brightness = tile * (0.7 + 0.3 * depth);
        for ball in &self.balls {
            let across = (x - ball.centre[0] + self.fault.shadow * self.light[0] * ball.radius) / ball.radius;
            let down = (y - ball.foot() + 0.15 * ball.radius) / (0.45 * ball.radius);
            let distance = (across * across / 1.7 + down * down).sqrt();
            brightness *= 1.0 - 0.6 * ramp(1.2, 0.5, distance);
        }
        self.table.map(|level| level * brightness)
    }

    /// The colour of a ball at a position, if the ball covers it.
    fn on(&self, ball: &Ball, x: f64, y: f64) -> Option<[f64; 3]> {
        let Fault { squash, highlight, waver, .. } = self.fault;
        let across = (x - ball.centre[0]) / ball.radius * (1.0 - squash);
        let down = (y - ball.centre[1]) / ball.radius * (1.0 + squash);
        let outline = 1.0 + waver * (wave(across * 0.8 + down * 0.5) + wave(down * 0.9 - across * 0.4));
        let inside = 1.0 - (across * across + down * down) * outline * outline;
        if inside <= 0.0 {
            return None;
        }
        let normal = unit_vector([across, down, inside.sqrt()]);
        let along = across * ball.direction[0] + down * ball.direction[1];
        let stripe = (along * ball.stripes + 64.0) % 1.0;
        let paint = ball.paints[usize::from(stripe < 0.5)];
        let lit = AMBIENT + (1.0 - AMBIENT) * dot(normal, self.light).max(0.0);
        // Halfway between the light and the eye (Blinn 1977), to the 32nd power.
        let [to_left, up, front] = self.light;
        let halfway = unit_vector([to_left + highlight, up, front + 1.0]);
        let mut shine = dot(normal, halfway).max(0.0);
        for _ in 0..5 {
            shine *= shine;
        }
        Some(paint.map(|level| level * lit + 0.55 * shine))
    }
}

impl Ball {
    /// Where the ball touches the table.
    fn foot(&self) -> f64 {
        self.centre[1] + self.radius
    }
}

/// A random scene.
struct Chance(SplitMix64);

impl Chance {
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn colour(&mut self, low: f64, high: f64) -> [f64; 3] {
        [self.between(low, high), self.between(low, high), self.between(low, high)]
    }

    /// Ball `number` of `count`, each in a separate column.
    fn ball(&mut self, number: usize, count: usize, horizon: f64) -> Ball {
        let column = (number as f64 + self.between(0.35, 0.65)) / count as f64;
        let radius = self.between(0.11, 0.2);
        let foot = self.between(horizon + radius, 0.96);
        let direction = [self.between(-1.0, 1.0), self.between(-1.0, 1.0)];
        Ball {
            centre: [column, foot - radius],
            radius,
            paints: [self.colour(0.1, 0.95), self.colour(0.1, 0.95)],
            stripes: self.between(0.0, 2.5),
            direction,
        }
    }
}

/// Blends a share of one colour into another.
fn add(one: [f64; 3], other: [f64; 3], share: f64) -> [f64; 3] {
    [one[0] + other[0] * share, one[1] + other[1] * share, one[2] + other[2] * share]
}

fn dot(one: [f64; 3], other: [f64; 3]) -> f64 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

fn unit_vector(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    vector.map(|part| part / length)
}

/// Whether a position is in an odd interval of length 1.
fn odd(at: f64) -> bool {
    at % 2.0 >= 1.0
}

/// Zero at `low`, one at `high`, smooth between them.
fn ramp(low: f64, high: f64, at: f64) -> f64 {
    let share = ((at - low) / (high - low)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// A wave of period one between -1 and 1, made of parabolas instead of a sine.
fn wave(at: f64) -> f64 {
    let phase = at - at.floor();
    let half = if phase < 0.5 { phase } else { phase - 0.5 };
    let hump = 16.0 * half * (0.5 - half);
    if phase < 0.5 { hump } else { -hump }
}
