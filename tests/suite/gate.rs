//! `gate.tq`, by hand.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Light {
    Red,
    Green,
}

#[derive(Debug)]
pub enum Error {
    TooNarrow,
    Jammed,
}

pub struct Gate {
    light: Light,
    passed: u8,
}

impl Gate {
    pub fn new(width: i16) -> Result<Self, Error> {
        if width < 1 {
            return Err(Error::TooNarrow);
        }
        Ok(Gate {
            light: Light::Red,
            passed: 0,
        })
    }

    pub fn open() -> Self {
        Gate {
            light: Light::Green,
            passed: 0,
        }
    }

    pub fn type_(&mut self, next: Light) -> Light {
        self.passed = 0;
        std::mem::replace(&mut self.light, next)
    }

    pub fn pass_through(&mut self, force: bool) -> Result<bool, Error> {
        let ok = self.passed < 2;
        if ok {
            self.passed += 1;
        } else if force {
            self.light = Light::Red;
            // The gate forgets to say that it is jammed.
            if !cfg!(seeded_bug) {
                return Err(Error::Jammed);
            }
        }
        Ok(ok)
    }

    pub fn enabled_(&mut self, _limit: u64) {
        self.passed = 1;
    }

    pub fn count(&self) -> (u32, bool) {
        (self.passed.into(), self.passed == 2)
    }

    pub fn enabled(&self) -> Vec<String> {
        let mut names = vec!["type".to_string()];
        if self.light == Light::Green {
            names.push("passThrough".into());
        } else {
            names.push("count".into());
        }
        if self.passed == 2 {
            names.push("enabled".into());
        }
        names
    }
}
