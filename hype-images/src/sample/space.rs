//! Vectors of three numbers, with addition, multiplication, division and square roots only.

use std::ops::{Add, Mul, Neg, Sub};

/// A point, a direction or a colour in linear light.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Triple(pub(super) f64, pub(super) f64, pub(super) f64);

impl Triple {
    pub(super) const ONE: Self = Self(1.0, 1.0, 1.0);
    pub(super) const UP: Self = Self(0.0, 1.0, 0.0);

    pub(super) fn dot(self, other: Self) -> f64 {
        self.0 * other.0 + self.1 * other.1 + self.2 * other.2
    }

    pub(super) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The direction of this vector; a vector of no length points up.
    pub(super) fn unit(self) -> Self {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Self::UP }
    }

    pub(super) fn cross(self, other: Self) -> Self {
        Self(
            self.1 * other.2 - self.2 * other.1,
            self.2 * other.0 - self.0 * other.2,
            self.0 * other.1 - self.1 * other.0,
        )
    }

    /// Goes the share `share` of the way to another.
    pub(super) fn mix(self, other: Self, share: f64) -> Self {
        self * (1.0 - share) + other * share
    }

    pub(super) fn array(self) -> [f64; 3] {
        [self.0, self.1, self.2]
    }
}

impl Add for Triple {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1, self.2 + other.2)
    }
}

impl Sub for Triple {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1, self.2 - other.2)
    }
}

impl Neg for Triple {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1, -self.2)
    }
}

impl Mul<f64> for Triple {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self(self.0 * by, self.1 * by, self.2 * by)
    }
}

/// Component by component, as light is filtered by a surface.
impl Mul for Triple {
    type Output = Self;
    fn mul(self, by: Self) -> Self {
        Self(self.0 * by.0, self.1 * by.1, self.2 * by.2)
    }
}
