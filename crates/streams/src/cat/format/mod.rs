//! Lines shown some other way than they are.
use super::Fault;
use super::options::Options;
use super::sink::Sink;
use super::source::Source;
use crate::cpu::Kernel;
use crate::rt::io::Errno;
/// d
pub const INPUT_BYTES: usize = 4096;
/// d
pub struct Formatter<'a> {
    _x: &'a mut [u8],
}
impl<'a> Formatter<'a> {
    /// d
    pub fn new(_options: Options, _kernel: Kernel, x: &'a mut [u8]) -> Self {
        Self { _x: x }
    }
    /// d
    pub fn copy(&mut self, _s: &mut Source, _k: &mut Sink<'_>, _l: bool) -> Result<(), Fault> {
        Ok(())
    }
    /// d
    pub fn finish(&mut self, _k: &mut Sink<'_>) -> Result<(), Errno> {
        Ok(())
    }
}
