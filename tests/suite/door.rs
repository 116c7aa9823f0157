//! `door.tq`, by hand.

pub struct Door {
    emergency: bool,
    closed: bool,
    moving: bool,
}

impl Door {
    pub fn new() -> Self {
        Door {
            emergency: false,
            closed: true,
            moving: false,
        }
    }

    pub fn open(&mut self) {
        self.closed = false;
    }

    pub fn close(&mut self) {
        self.closed = true;
    }

    pub fn start(&mut self) {
        self.moving = true;
        // The train leaves with its door open.
        if !self.emergency && !cfg!(seeded_bug) {
            self.closed = true;
        }
    }

    pub fn stop(&mut self) {
        self.moving = false;
    }

    pub fn alarm(&mut self) {
        self.emergency = true;
        self.closed = false;
    }

    pub fn safe(&mut self) {
        self.emergency = false;
    }

    pub fn enabled(&self) -> Vec<&'static str> {
        [
            ("Open", self.closed && !self.moving),
            ("Close", !self.closed && !self.emergency),
            ("Start", !self.moving),
            ("Stop", self.moving),
            ("Alarm", !self.emergency),
            ("Safe", self.emergency),
        ]
        .into_iter()
        .filter(|(_, enabled)| *enabled)
        .map(|(name, _)| name)
        .collect()
    }
}
