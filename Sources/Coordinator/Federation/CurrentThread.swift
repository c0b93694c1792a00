import StrataPlatform

enum CurrentThread {
    /// A number that is unique among running threads.
    static var id: UInt { UInt(bitPattern: pthread_self().hashValue) }
}
