import StrataPlatform

/// The thread that asks.
enum CurrentThread {
    /// A number that no other thread has as long as this one runs.
    static var id: UInt { UInt(bitPattern: pthread_self().hashValue) }
}
