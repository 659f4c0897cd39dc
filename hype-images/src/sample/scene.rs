//! Still lifes: one to three painted balls on a table before a wall.

use super::chance::{Chance, cloud, noise, ramp, smooth, wave};
use super::space::Triple;

/// Colours that go together, as `0xrrggbb`: wall above and below, table light and dark, balls.
const PALETTES: [[u32; 8]; 8] = [
    [0xb9d3e0, 0xeaf0ea, 0xc99b6b, 0x9c6f45, 0xd9483b, 0xf2b632, 0x2f7f86, 0xf5efe0],
    [0xe8cfc0, 0xf7ece0, 0x8fa39a, 0x6f857c, 0xc8553d, 0x588b8b, 0xf28f3b, 0xfff4e6],
    [0x9fb4c7, 0xdfe6ee, 0xb08968, 0x7f5539, 0x386fa4, 0xe4572e, 0xf3c14b, 0xf4f1ea],
    [0xcfdcc4, 0xf2f4e6, 0xd0b49f, 0xa47551, 0x6a994e, 0xbc4749, 0xf2cc5c, 0xf2e8cf],
    [0xc9c3dd, 0xf0ebf4, 0xbfa58a, 0x8d6f57, 0x7b4fa0, 0xe0a030, 0xd65a7a, 0xf7f0e8],
    [0xd9b99b, 0xf3e3d0, 0x7d8ca3, 0x5c6b84, 0x1f4e79, 0xc44536, 0xe9b44c, 0xfaf0dc],
    [0xa8c6c0, 0xe6f0ea, 0xd8b88c, 0xb08d5c, 0xe76f51, 0x2a6f68, 0xe9c46a, 0xfbf3e4],
    [0xe3c7cf, 0xf8ecee, 0xa98b76, 0x7a5d4b, 0xa83a5b, 0x3d6b8e, 0xf0a860, 0xfff2ea],
];

const EYE: Triple = Triple(0.0, 1.55, -5.2);
const AIM: Triple = Triple(0.0, 0.72, 0.0);
/// Half the width of the picture at distance one from the eye.
const REACH: f64 = 0.345;
const SUN: Triple = Triple(1.62, 1.5, 1.3);
const SKY: Triple = Triple(0.46, 0.5, 0.58);

/// How a process departs from the way light and matter behave; the real one does not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Departure {
    /// Stretch of the balls along x, y and z.
    pub(super) stretch: Triple,
    /// Turn of all colours about the grey axis, in thirds of a circle.
    pub(super) hue: f64,
    /// Where the light seems to come from in highlights, added to its direction.
    pub(super) highlight: Triple,
    /// Direction of the light as cast shadows have it, times the true one.
    pub(super) shadow: Triple,
    /// Depth of cast shadows, one where they are right.
    pub(super) depth: f64,
    /// How far a pattern runs over a ball's surface, in radii.
    pub(super) smear: f64,
    /// How far outlines wander, in picture widths.
    pub(super) melt: f64,
}

impl Departure {
    /// None at all.
    pub(super) const NONE: Self = Self {
        stretch: Triple::ONE,
        hue: 0.0,
        highlight: Triple(0.0, 0.0, 0.0),
        shadow: Triple::ONE,
        depth: 1.0,
        smear: 0.0,
        melt: 0.0,
    };
}

#[derive(Debug, Clone, Copy)]
enum Pattern {
    Plain,
    Stripes { count: f64 },
    Spots { size: f64 },
    Marble,
    Sectors,
    Belt,
}

#[derive(Debug, Clone, Copy)]
enum Table {
    Planks,
    Gingham,
    Stone,
}

struct Ball {
    centre: Triple,
    radius: f64,
    stretch: Triple,
    /// Three directions at right angles that turn with the ball.
    frame: [Triple; 3],
    pattern: Pattern,
    colour: Triple,
    second: Triple,
    gloss: f64,
    key: u64,
    spots: Vec<Triple>,
}

/// A still life that can be looked at.
pub(super) struct Scene {
    balls: Vec<Ball>,
    table: Table,
    table_frame: (f64, f64),
    wall: (Triple, Triple),
    ground: (Triple, Triple),
    light: Triple,
    departure: Departure,
    key: u64,
}

/// Linear light of a written colour; the square stands for the display's curve.
fn linear(written: u32) -> Triple {
    let channel = |shift: u32| {
        let level = f64::from((written >> shift) & 0xff) / 255.0;
        level * level
    };
    Triple(channel(16), channel(8), channel(0))
}

/// A direction, all equally likely.
fn direction(chance: &mut Chance) -> Triple {
    loop {
        let point = Triple(chance.between(-1.0, 1.0), chance.between(-1.0, 1.0), chance.between(-1.0, 1.0));
        let square = point.dot(point);
        if square > 0.01 && square < 1.0 {
            return point.unit();
        }
    }
}

fn frame(chance: &mut Chance) -> [Triple; 3] {
    let first = direction(chance);
    let mut other = direction(chance);
    while first.cross(other).length() < 0.2 {
        other = direction(chance);
    }
    let second = first.cross(other).unit();
    [first, second, first.cross(second)]
}

/// Places up to `wanted` balls on the table so that they do not run into each other.
fn place(chance: &mut Chance, wanted: usize) -> Vec<(Triple, f64)> {
    let mut placed: Vec<(Triple, f64)> = Vec::new();
    for _ in 0..60 {
        if placed.len() == wanted {
            break;
        }
        let radius = match wanted {
            1 => chance.between(0.85, 1.1),
            2 => chance.between(0.55, 0.85),
            _ => chance.between(0.42, 0.68),
        };
        let side = 1.5 - radius * if wanted == 1 { 1.15 } else { 0.9 };
        let centre = Triple(chance.between(-side, side), radius, chance.between(-0.75, 0.95));
        let free = placed.iter().all(|&(other, size)| {
            let apart = Triple(other.0 - centre.0, 0.0, other.2 - centre.2);
            // Side by side in the picture too, so that no ball hides another.
            apart.length() > radius + size + 0.04 && apart.0.abs() > (radius + size) * 0.72
        });
        if free {
            placed.push((centre, radius));
        }
    }
    placed
}

impl Scene {
    /// Sets a table.
    pub(super) fn new(chance: &mut Chance, departure: Departure) -> Self {
        let palette = PALETTES[chance.below(PALETTES.len())].map(linear);
        let wanted = [1, 2, 2, 3, 3][chance.below(5)];
        let first = chance.below(3);
        let balls = place(chance, wanted)
            .into_iter()
            .enumerate()
            .map(|(number, (centre, radius))| {
                let pattern = match chance.below(6) {
                    0 => Pattern::Plain,
                    1 => Pattern::Stripes { count: chance.between(1.6, 2.8) },
                    2 => Pattern::Spots { size: chance.between(0.91, 0.95) },
                    3 => Pattern::Marble,
                    4 => Pattern::Sectors,
                    _ => Pattern::Belt,
                };
                let second =
                    if chance.below(3) == 0 { palette[4 + (first + number + 1) % 3] } else { palette[7] };
                Ball {
                    centre: Triple(centre.0, radius * departure.stretch.1, centre.2),
                    radius,
                    stretch: departure.stretch,
                    frame: frame(chance),
                    pattern,
                    colour: palette[4 + (first + number) % 3],
                    second,
                    gloss: chance.between(0.25, 0.9),
                    key: chance.bits(),
                    spots: (0..22).map(|_| direction(chance)).collect(),
                }
            })
            .collect();
        let table = [Table::Planks, Table::Gingham, Table::Stone][chance.below(3)];
        let slope = chance.between(-0.35, 0.35);
        let norm = (1.0 + slope * slope).sqrt();
        Self {
            balls,
            table,
            table_frame: (1.0 / norm, slope / norm),
            wall: (palette[0], palette[1]),
            ground: (palette[2], palette[3]),
            light: Triple(
                chance.sign() * chance.between(0.55, 1.0),
                chance.between(0.85, 1.25),
                chance.between(-0.85, -0.35),
            )
            .unit(),
            departure,
            key: chance.bits(),
        }
    }

    /// The colour seen at a point of the picture, `across` and `down` in `[0, 1]`, as display
    /// levels in `[0, 1]`.
    pub(super) fn look(&self, across: f64, down: f64) -> Triple {
        let wander = self.departure.melt;
        let (across, down) = if wander > 0.0 {
            let at = [across * 5.0, down * 5.0, 0.5];
            (
                across + wander * (noise(self.key ^ 11, at) - 0.5) * 2.0,
                down + wander * (noise(self.key ^ 12, at) - 0.5) * 2.0,
            )
        } else {
            (across, down)
        };
        let forward = (AIM - EYE).unit();
        let right = Triple::UP.cross(forward).unit();
        let above = forward.cross(right);
        let ray =
            (forward + right * ((across * 2.0 - 1.0) * REACH) + above * ((1.0 - down * 2.0) * REACH)).unit();
        let seen = self.nearest(ray).map_or_else(
            || self.surroundings(ray, across, down),
            |(ball, at, normal)| self.shade(ball, at, normal, ray),
        );
        self.develop(seen)
    }

    /// Turns hues where the process does so, and light into display levels.
    fn develop(&self, seen: Triple) -> Triple {
        let turned = if self.departure.hue > 0.0 {
            seen.mix(Triple(seen.1, seen.2, seen.0), self.departure.hue)
        } else {
            seen.mix(Triple(seen.2, seen.0, seen.1), -self.departure.hue)
        };
        // A shoulder that keeps highlights from burning out, then the display's square root.
        let level = |light: f64| {
            let light = light.max(0.0);
            (light * (1.0 + light * 0.3) / (1.0 + light * 0.55)).sqrt().min(1.0)
        };
        Triple(level(turned.0), level(turned.1), level(turned.2))
    }

    fn nearest(&self, ray: Triple) -> Option<(&Ball, Triple, Triple)> {
        let mut found: Option<(f64, &Ball)> = None;
        for ball in &self.balls {
            if let Some(distance) = ball.meets(EYE, ray)
                && found.is_none_or(|(best, _)| distance < best)
            {
                found = Some((distance, ball));
            }
        }
        found.map(|(distance, ball)| {
            let at = EYE + ray * distance;
            (ball, at, ball.normal(at))
        })
    }

    /// The share of the sun that reaches a point past the balls.
    fn sunlight(&self, at: Triple, skip: Option<&Ball>) -> f64 {
        let light = (self.light * self.departure.shadow).unit();
        let mut share: f64 = 1.0;
        for ball in &self.balls {
            if skip.is_some_and(|own| std::ptr::eq(own, ball)) {
                continue;
            }
            let to = ball.centre - at;
            let along = to.dot(light);
            if along > 0.0 {
                let miss = (to - light * along).length();
                let soft = 0.05 + along * 0.16;
                share *= ramp(ball.radius * (1.0 - soft), ball.radius * (1.0 + soft), miss);
            }
        }
        1.0 - (1.0 - share) * self.departure.depth
    }

    /// The share of the sky that reaches a point past the balls (Lambert's law for a small
    /// sphere: `cos · r² / d²`).
    fn skylight(&self, at: Triple, normal: Triple, skip: Option<&Ball>) -> f64 {
        let mut share: f64 = 1.0;
        for ball in &self.balls {
            if skip.is_some_and(|own| std::ptr::eq(own, ball)) {
                continue;
            }
            let to = ball.centre - at;
            let distance = to.length();
            let reach = ball.radius / distance;
            let facing = (normal.dot(to) / distance * 0.5 + 0.5).max(0.0);
            share *= 1.0 - (facing * reach * reach).min(1.0) * 0.85 * self.departure.depth;
        }
        share
    }

    fn wall_at(&self, across: f64, down: f64) -> Triple {
        let side = if self.light.0 > 0.0 { across } else { 1.0 - across };
        let pool = 0.72 + 0.3 * smooth(side) - 0.12 * down;
        self.wall.0.mix(self.wall.1, smooth(down * 1.9)) * pool
    }

    /// The table, or the wall behind it.
    fn surroundings(&self, ray: Triple, across: f64, down: f64) -> Triple {
        let wall = self.wall_at(across, down);
        if ray.1 >= -0.001 {
            return wall;
        }
        let at = EYE + ray * (EYE.1 / -ray.1);
        let far = ramp(2.1, 2.5, at.2);
        if far >= 1.0 {
            return wall;
        }
        let albedo = self.table_at(at);
        let sun = SUN * (self.light.1 * self.sunlight(at, None));
        let sky = SKY * self.skylight(at, Triple::UP, None);
        let lit = albedo * (sun + sky) * 0.82;
        // A dark line where the table ends, as an edge has.
        let edge = 1.0 - 0.35 * ramp(1.9, 2.1, at.2) * (1.0 - far);
        (lit * edge).mix(wall, far)
    }

    fn table_at(&self, at: Triple) -> Triple {
        let (cos, sin) = self.table_frame;
        let along = at.0 * cos + at.2 * sin;
        let away = at.2 * cos - at.0 * sin;
        let (light, dark) = self.ground;
        match self.table {
            Table::Planks => {
                let plank = (along * 1.25).floor();
                let within = along * 1.25 - plank;
                let tone = noise(self.key ^ 5, [plank * 7.3, 0.5, 0.5]);
                let grain = cloud(self.key ^ 6, [along * 9.0, away * 0.9, plank * 3.1]);
                let gap = ramp(0.0, 0.05, within) * ramp(0.0, 0.05, 1.0 - within);
                light.mix(dark, 0.25 + 0.5 * tone * grain + 0.2 * grain) * (0.5 + 0.5 * gap)
            }
            Table::Gingham => {
                let band = |place: f64| ramp(0.42, 0.58, wave(place * 1.1));
                let cover = (band(along) + band(away)) * 0.5;
                let white = light.mix(Triple::ONE, 0.72);
                white.mix(dark, cover * 0.85)
            }
            Table::Stone => {
                let vein = cloud(self.key ^ 8, [along * 1.3, away * 1.3, 0.2]);
                let cloudy = wave(vein * 3.0 + along * 0.2);
                light.mix(dark, 0.2 + 0.45 * smooth(cloudy))
            }
        }
    }

    fn shade(&self, ball: &Ball, at: Triple, normal: Triple, ray: Triple) -> Triple {
        let albedo = ball.paint(normal, self.departure.smear);
        let facing = normal.dot(self.light);
        let lit = ramp(-0.08, 0.35, facing) * facing.max(0.0) + 0.04 * ramp(-0.3, 0.2, facing);
        let sun = SUN * (lit * self.sunlight(at, Some(ball)));
        let height = normal.1 * 0.5 + 0.5;
        let sky = SKY * (height * self.skylight(at, normal, Some(ball)));
        // The lit table shines back at the lower half, less where the ball touches it.
        let near = ramp(0.0, ball.radius * 1.2, at.1);
        let back = self.ground.0 * ((1.0 - height) * 0.75 * (0.25 + 0.75 * near));
        let half = ((self.light + self.departure.highlight).unit() - ray).unit();
        let mut glint = normal.dot(half).max(0.0);
        for _ in 0..5 {
            glint *= glint;
        }
        let rim = 1.0 - normal.dot(-ray).clamp(0.0, 1.0);
        let rim = rim * rim * rim * rim;
        albedo * (sun + sky + back) * 0.9
            + Triple::ONE * (glint * ball.gloss * 1.3)
            + self.wall.1 * (rim * 0.22 * (0.3 + ball.gloss) * height)
    }
}

impl Ball {
    /// The distance along a ray to this ball, as an ellipsoid.
    fn meets(&self, from: Triple, ray: Triple) -> Option<f64> {
        let shrink = Triple(1.0 / self.stretch.0, 1.0 / self.stretch.1, 1.0 / self.stretch.2);
        let start = (from - self.centre) * shrink;
        let step = ray * shrink;
        let a = step.dot(step);
        let b = start.dot(step);
        let c = start.dot(start) - self.radius * self.radius;
        let inside = b * b - a * c;
        if inside <= 0.0 {
            return None;
        }
        let distance = (-b - inside.sqrt()) / a;
        (distance > 0.0).then_some(distance)
    }

    fn normal(&self, at: Triple) -> Triple {
        let from = at - self.centre;
        let square = self.stretch * self.stretch;
        Triple(from.0 / square.0, from.1 / square.1, from.2 / square.2).unit()
    }

    /// The surface's colour where its normal is `normal`.
    fn paint(&self, normal: Triple, smear: f64) -> Triple {
        let mut at = Triple(normal.dot(self.frame[0]), normal.dot(self.frame[1]), normal.dot(self.frame[2]));
        let mut crisp = 1.0;
        if smear > 0.0 {
            let drift = |number: u64| (cloud(self.key ^ number, (at * 2.2).array()) - 0.5) * 2.0 * smear;
            let moved = Triple(drift(21), drift(22), drift(23));
            at = (at + moved).unit();
            crisp = 1.0 / (1.0 + smear * 5.0);
        }
        let soft = 0.05 / crisp;
        let cover = match self.pattern {
            Pattern::Plain => 0.0,
            Pattern::Stripes { count } => ramp(0.5 - soft * 3.0, 0.5 + soft * 3.0, wave(at.0 * count + 0.25)),
            Pattern::Spots { size } => self.spots.iter().fold(0.0, |most: f64, spot| {
                most.max(ramp(size - soft * 0.4, size + soft * 0.4, spot.dot(at)))
            }),
            Pattern::Marble => {
                let flow = cloud(self.key, (at * 2.4).array());
                let vein = (wave(flow * 3.2 + at.0 * 0.7) - 0.5).abs() * 2.0;
                1.0 - ramp(0.0, 0.55 + soft, vein)
            }
            Pattern::Sectors => {
                let side = |offset: f64| ramp(-soft, soft, offset) * 2.0 - 1.0;
                let turn = at.1 * at.2 * (at.1 * at.1 - at.2 * at.2) * 4.0;
                0.5 - 0.5 * side(turn)
            }
            Pattern::Belt => ramp(0.2 - soft, 0.2 + soft, 0.42 - at.0.abs()),
        };
        self.colour.mix(self.second, cover)
    }
}
