import Foundation

/// The resident memory of this process.
enum ProcessMemory {
    /// The resident memory that is the process's own now, in bytes, without what it maps of files; 0 where the system does not say.
    static var resident: Int { status("RssAnon:") ?? status("VmRSS:") ?? 0 }

    /// The largest resident size since the last `resetPeak`, in bytes.
    static var peak: Int {
        if let peak = status("VmHWM:") { return peak }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1024
    }

    /// Starts the peak anew, where the system can.
    static func resetPeak() {
        guard let handle = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        try? handle.write(contentsOf: Data("5".utf8))
        try? handle.close()
    }

    private static func status(_ field: String) -> Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        for line in text.split(separator: "\n") where line.hasPrefix(field) {
            return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }
}
