import ArgumentParser
import BenchReports
import Foundation

/// Prints a report and writes the files that were asked for.
enum ReportOutput {
    /// - Throws: `ExitCode.failure` after writing, where a step failed or answers differ.
    static func finish(_ report: Report, _ options: ReportOptions) throws {
        print(report.terminal)
        if let path = options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try write(try encoder.encode(report), to: path)
        }
        if let path = options.html { try write(Data(report.html.utf8), to: path) }
        if let path = options.markdown { try write(Data(report.markdown.utf8), to: path) }
        if !report.isSound { throw ExitCode.failure }
    }

    private static func write(_ data: Data, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
        print("\nwritten: \(path)")
    }
}
