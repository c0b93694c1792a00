import StrataPlatform

/// The calling thread.
enum CurrentThread {
    /// A number that is unique among running threads.
    static var id: UInt { UInt(bitPattern: pthread_self().hashValue) }
}
