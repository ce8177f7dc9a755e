//! Backup priority of a subflow (RFC 8684 §3.3.8).

/// Wishes of both ends that a subflow be used only if no regular one is usable.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BackupPriority {
    local: bool,
    peer: bool,
}

impl BackupPriority {
    pub(crate) const fn new(local: bool, peer: bool) -> Self {
        Self { local, peer }
    }

    /// Whether either end wants it as a backup.
    #[inline]
    pub(crate) const fn is_backup(self) -> bool {
        self.local || self.peer
    }

    /// Whether this end does.
    pub(crate) const fn is_local(self) -> bool {
        self.local
    }

    pub(crate) const fn set_local(&mut self, backup: bool) {
        self.local = backup;
    }

    pub(crate) const fn set_peer(&mut self, backup: bool) {
        self.peer = backup;
    }
}
