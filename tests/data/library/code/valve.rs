use std::fmt;

/// Opens and closes.
#[derive(Debug)]
pub struct Valve<T> {
    unit: T,
}

impl<T> Valve<T> {
    pub fn open(&self) -> bool {
        true
    }
}

impl fmt::Display for Valve<u8> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "밸브")
    }
}

mod tests {
    fn helper() {}
}

macro_rules! pump {
    () => {};
}
