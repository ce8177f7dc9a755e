//! Bytes of foreign hosts' packets, in reused buffers.

/// Place of a packet's bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameId(u32);

impl FrameId {
    pub(crate) fn place(self) -> usize {
        self.0 as usize
    }
}

/// Bytes of all packets in flight.
#[derive(Debug, Default)]
pub(crate) struct FrameStore {
    buffers: Vec<Vec<u8>>,
    vacant: Vec<u32>,
}

impl FrameStore {
    pub(crate) fn keep(&mut self, bytes: &[u8]) -> FrameId {
        let place = self.vacant.pop().unwrap_or_else(|| {
            self.buffers.push(Vec::new());
            self.buffers.len() as u32 - 1
        });
        let buffer = &mut self.buffers[place as usize];
        buffer.clear();
        buffer.extend_from_slice(bytes);
        FrameId(place)
    }

    pub(crate) fn get(&self, frame: FrameId) -> &Vec<u8> {
        &self.buffers[frame.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, frame: FrameId) -> &mut Vec<u8> {
        &mut self.buffers[frame.0 as usize]
    }

    pub(crate) fn give_back(&mut self, frame: FrameId) {
        self.vacant.push(frame.0);
    }
}
