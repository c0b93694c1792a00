import Testing

/// What a store that people trust with their data must bear: failing systems, lost power, damaged files, full disks, other processes.
///
/// Each run tries a sample that its seed determines (`RELIABILITY_SEED` repeats one); `make soak` tries everything. One suite runs after the
/// other, as each uses two processors for its workers.
@Suite(.serialized, .timeLimit(.minutes(Effort.isSoak ? 600 : 60)))
enum Reliability {}
