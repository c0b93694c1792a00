/// Leaves steps out of a walk that fails, as many as can be, so that it still fails.
struct Shrinker {
    /// Whether a walk fails, and with what.
    let failure: (Walk) -> String?

    /// - Returns: A walk of which no step, nor half of the steps in a row, can be left out; and with what it fails.
    func shrink(_ walk: Walk) -> (walk: Walk, message: String)? {
        guard var message = failure(walk) else { return nil }
        var walk = walk
        var size = max(1, walk.operations.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < walk.operations.count {
                var shorter = walk
                shorter.operations.removeSubrange(start..<min(start + size, walk.operations.count))
                if let found = failure(shorter) {
                    (walk, message, isShorter) = (shorter, found, true)
                } else {
                    start += size
                }
            }
            if size == 1 && !isShorter { return (walk, message) }
            if size > 1 { size /= 2 }
        }
    }
}
