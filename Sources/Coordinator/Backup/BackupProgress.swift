public import StrataStore

/// How far a backup has come.
public struct BackupProgress: Sendable, Hashable {
    /// The phases of a backup.
    public enum Phase: Sendable, Hashable {
        /// A store is copied; saves go on.
        case copying
        /// A copy is read whole, and checked.
        case verifying
    }

    /// From 0, before any work, to 1, when only the manifest is left; it never decreases.
    public let fractionCompleted: Double
    /// The phase.
    public let phase: Phase
    /// The store that is worked on.
    public let storeID: StoreID
}

/// Reports the progress of a backup, and ends it on cancellation.
struct BackupReport {
    private let handler: ((BackupProgress) throws -> Void)?
    private let path: String
    private let storeCount: Int

    init(_ path: String, storeCount: Int, _ handler: ((BackupProgress) throws -> Void)?) {
        self.handler = handler
        self.path = path
        self.storeCount = storeCount
    }

    /// - Parameters:
    ///   - index: The position of the store.
    ///   - fraction: The finished part of the store's work in the phase.
    /// - Throws: `StoreError` with `cancelled` where the backup is cancelled.
    func update(_ phase: BackupProgress.Phase, _ storeID: StoreID, at index: Int, _ fraction: Double) throws {
        if Task.isCancelled || StoreCancellation.current?.isCancelled == true { throw cancelled(because: CancellationError()) }
        guard let handler else { return }
        let done = (Double(index) + min(1, max(0, fraction))) / Double(storeCount)
        let progress = BackupProgress(
            fractionCompleted: phase == .copying ? done / 2 : 0.5 + done / 2, phase: phase, storeID: storeID)
        do { try handler(progress) } catch { throw cancelled(because: error) }
    }

    private func cancelled(because error: any Error) -> StoreError {
        StoreError(.cancelled, .backUp, "the backup was cancelled; an earlier one stays", path: path, underlying: error)
    }
}
