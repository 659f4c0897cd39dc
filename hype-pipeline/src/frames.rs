//! The luma of clips, frame by frame, as an `ffmpeg` of the user's decodes it.
//!
//! Frames come through a pipe, one at a time, so a clip of any length takes the memory of two frames. They are the luma as it is
//! coded, of 8 bits, without conversion of its range; only luma of more bits is reduced to 8.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use hype_core::plugin::metric::LumaPixels;

/// The program that decodes clips.
pub(crate) const FFMPEG: &str = "ffmpeg";
/// Keeps the luma of 8 bits as it is.
const LUMA: &str = "format=yuv420p|yuv422p|yuv444p|yuvj420p|yuvj422p|yuvj444p|gray,extractplanes=y";
/// The longest header of a stream or a frame.
const HEADER: u64 = 1 << 10;

/// The frames of one clip.
pub(crate) struct LumaFrames {
    program: Child,
    frames: BufReader<ChildStdout>,
    /// The program's complaints.
    complaints: Option<JoinHandle<String>>,
    width: u32,
    height: u32,
    frame: Vec<u8>,
}

impl LumaFrames {
    /// Begins to decode a clip.
    ///
    /// # Errors
    /// The reason, if the program is not installed or the file is not a clip.
    pub(crate) fn open(program: &OsStr, clip: &Path) -> Result<Self, String> {
        let mut input = OsStr::new("file:").to_owned();
        input.push(clip);
        let mut command = Command::new(program);
        command.args(["-v", "error", "-nostdin", "-xerror", "-threads", "1", "-i"]).arg(input);
        command.args(["-map", "0:v:0", "-fps_mode", "passthrough", "-vf", LUMA]);
        command.args(["-strict", "-1", "-f", "yuv4mpegpipe", "-"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut program = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => format!(
                "clips are decoded by `{}`, which is not installed: install FFmpeg 5.1 or later, as by `apt-get install \
                 ffmpeg` or `brew install ffmpeg`",
                program.display()
            ),
            _ => format!("`{}` cannot be started: {error}", program.display()),
        })?;
        let (Some(frames), Some(mut complaints)) = (program.stdout.take(), program.stderr.take()) else {
            return Err("the output of ffmpeg cannot be read".to_owned());
        };
        let complaints = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = complaints.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        });
        let frames = BufReader::new(frames);
        let mut found =
            Self { program, frames, complaints: Some(complaints), width: 0, height: 0, frame: Vec::new() };
        let header = found.line().map_err(|error| found.failure(&error.to_string()))?;
        let Some((width, height)) = header.as_deref().and_then(size) else {
            return Err(found.failure("it has no video"));
        };
        (found.width, found.height) = (width, height);
        found.frame = vec![0; width as usize * height as usize];
        Ok(found)
    }

    /// The next frame; `None` after the last.
    ///
    /// # Errors
    /// The reason, if the clip is damaged.
    pub(crate) fn next(&mut self) -> Result<Option<LumaPixels<'_>>, String> {
        let Some(line) = self.line().map_err(|error| self.failure(&error.to_string()))? else {
            let ended = self.program.wait().is_ok_and(|status| status.success());
            return if ended { Ok(None) } else { Err(self.failure("ffmpeg failed")) };
        };
        if !line.starts_with("FRAME") {
            return Err(self.failure("it is not read as frames"));
        }
        self.frames.read_exact(&mut self.frame).map_err(|error| self.failure(&error.to_string()))?;
        Ok(Some(LumaPixels { width: self.width, height: self.height, samples: &self.frame }))
    }

    /// One line of the stream; `None` at its end.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        (&mut self.frames).take(HEADER).read_until(b'\n', &mut line)?;
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        Ok((!line.is_empty()).then_some(text))
    }

    /// Why decoding failed: the first complaint of the program, or else the fault that was seen.
    fn failure(&mut self, seen: &str) -> String {
        let _ = self.program.kill();
        let said = self.complaints.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let first = said.lines().map(str::trim).find(|line| !line.is_empty());
        format!("it cannot be decoded: {}", first.unwrap_or(seen))
    }
}

/// A clip need not be decoded to its end.
impl Drop for LumaFrames {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// The width and height in the header of a stream of luma.
fn size(header: &str) -> Option<(u32, u32)> {
    let mut words = header.split(' ');
    let is_luma = words.next() == Some("YUV4MPEG2") && header.contains(" Cmono");
    let side = |name: char| words.clone().find_map(|word| word.strip_prefix(name)?.parse::<u32>().ok());
    let (width, height) = (side('W')?, side('H')?);
    (is_luma && width > 0 && height > 0).then_some((width, height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_decoder_and_a_damaged_clip_are_named() {
        let fault = |program: &str| LumaFrames::open(program.as_ref(), Path::new("none.mp4")).err().unwrap();
        let missing = fault("no-such-ffmpeg");
        assert!(missing.contains("`no-such-ffmpeg`, which is not installed: install FFmpeg"), "{missing}");
        let damaged = fault(FFMPEG);
        assert!(damaged.starts_with("it cannot be decoded: file:none.mp4: No such file"), "{damaged}");
    }
}
