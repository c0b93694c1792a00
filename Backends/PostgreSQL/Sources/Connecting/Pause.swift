import StrataPlatform

/// Waits between attempts at the same thing, longer each time.
struct Pause {
    private var milliseconds: UInt32 = 5

    mutating func wait() {
        usleep(milliseconds * 1_000)
        milliseconds = min(milliseconds * 2, 250)
    }
}
